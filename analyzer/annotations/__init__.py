"""Annotations: comments of the form ``ai-estimate: ...`` to sizes, facts about arrays and demands on loops."""
