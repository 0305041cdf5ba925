"""The command line: parse, build an options value, analyze and project, render.

Standard output carries the report, standard error everything else; exit codes are 0 (done), 1 (findings) and 2 (an
input or an option that cannot be used).
"""
