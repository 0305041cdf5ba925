"""Projections and reports of values that a test made itself: machines in place of targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.profile import AnalyzedFile, RegionProfile
from analyzer.traffic.results import RegionTraffic
from roofline.machine.machine import Machine
from roofline.model import projection
from roofline.model.level_bytes import ProjectionOptions, target_of
from roofline.model.projection import Projection
from roofline.report import regions, report
from roofline.report.regions import RegionReport
from roofline.report.report import Report

NOTHING = RegionTraffic()


def project(
    profile: RegionProfile,
    machine: Machine,
    options: ProjectionOptions | None = None,
    traffic: RegionTraffic = NOTHING,
) -> Projection:
    """Project a region onto a machine."""
    return projection.project(profile, target_of(machine, options), traffic)


def region_report(
    profile: RegionProfile,
    machines: Sequence[Machine],
    options: ProjectionOptions,
    traffic: RegionTraffic = NOTHING,
) -> RegionReport:
    """Project a region onto machines."""
    return regions.region_report(profile, traffic, [target_of(machine, options) for machine in machines], options)


def make_report(
    files: Sequence[AnalyzedFile],
    machines: Sequence[Machine],
    projection: ProjectionOptions,
    *,
    version: str = "0",
    options: Mapping[str, Any] | None = None,
) -> Report:
    """Project files onto machines."""
    targets = [target_of(machine, projection) for machine in machines]
    return report.make_report(files, targets, projection, version=version, options=options or {})
