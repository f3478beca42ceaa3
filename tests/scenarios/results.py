"""What the scenarios' results say together: a line each, the errors' summary, and the table of docs/doctor.md."""

import statistics

# What is promised: shares of the wall time, shares of the images/s.
STALL_MEAN, STALL_MOST = 0.05, 0.12
GAIN_MEDIAN, GAIN_WIDE, GAIN_WIDE_ONE_IN = 0.08, 0.15, 6


def percent(share, sign=""):
    return "—" if share is None else f"{100 * share:{sign}.0f} %"


def gain_error(result):
    """Of the predicted against the measured images/s; None where either is not known."""
    predicted, measured = result.get("predicted_gain"), result.get("measured_gain")
    return None if predicted is None or measured is None else (1 + predicted) / (1 + measured) - 1


def stall_error(result):
    found, truth = result.get("stall_share"), result.get("true_stall")
    return None if found is None or truth is None else found - truth


def line(result):
    if result["outcome"] == "skipped":
        return f"{result['name']:30} skipped: {result['reason']}"
    if result["outcome"] == "failed":
        return f"{result['name']:30} FAILED: {result['reason']}"
    mark = "right" if result["right"] else "WRONG"
    parts = [f"{result['name']:30} {result['verdict']:16} {mark:6}",
             f"stall {percent(result['stall_share'])} of {percent(result['true_stall'])}",
             f"{result['images_per_s']:.0f} images/s"]
    if result.get("measured_gain") is not None:
        parts.append(f"gain {percent(result['predicted_gain'], '+')} ({result['label']}) measured {percent(result['measured_gain'], '+')}"
                     f" error {percent(gain_error(result), '+')}")
    after = f", then {result['foreign_cpus_after']:.2f}" if "foreign_cpus_after" in result else ""
    parts.append(f"foreign {result['foreign_cpus']:.2f}{after} CPUs")
    return " · ".join(parts + result["faults"])


def played(results):
    return [one for one in results if one["outcome"] == "played"]


def disturbed(result):
    """Whether a wrong verdict says nothing: other programs, or the hypervisor, took CPUs that the state did not ask for."""
    own = result["name"].startswith("neighbours")
    return result["outcome"] == "played" and not result["right"] and not own and result["foreign_cpus"] > 0.3


def stall_errors(results):
    return [abs(error) for error in map(stall_error, played(results)) if error is not None]


def gain_errors(results):
    """Of every gain that was given as a number, "up to" among them; a lower bound claims nothing else, nor does no fix."""
    return [abs(gain_error(one)) for one in played(results)
            if gain_error(one) is not None and one["label"] in ("estimate", "up_to")]


def over_limits(results):
    """Which of the promised figures are not kept, as lines."""
    stalls, gains, faults = stall_errors(results), gain_errors(results), []
    if stalls and (statistics.mean(stalls) > STALL_MEAN or max(stalls) > STALL_MOST):
        faults.append(f"stall share: at most {100 * STALL_MEAN:.0f} points on average and {100 * STALL_MOST:.0f} in one")
    if gains and statistics.median(gains) > GAIN_MEDIAN:
        faults.append(f"predicted gain: a median error of at most {percent(GAIN_MEDIAN)}")
    if sum(error > GAIN_WIDE for error in gains) > len(gains) / GAIN_WIDE_ONE_IN:
        faults.append(f"predicted gain: at most one in {GAIN_WIDE_ONE_IN} above {percent(GAIN_WIDE)}")
    return faults


def summary(results):
    """Lines for people."""
    others = [one["outcome"] for one in results if one["outcome"] != "played"]
    lines = [f"verdicts: {sum(one['right'] for one in played(results))} of {len(played(results))} right; "
             f"{others.count('skipped')} skipped, {others.count('failed')} failed"]
    stalls, gains = stall_errors(results), gain_errors(results)
    if stalls:
        lines.append(f"stall share: mean error {100 * statistics.mean(stalls):.1f} points, largest {100 * max(stalls):.1f}, of {len(stalls)}")
    if gains:
        lines.append(f"predicted gain: median error {percent(statistics.median(gains))}, largest {percent(max(gains))}, "
                     f"{sum(error > GAIN_WIDE for error in gains)} of {len(gains)} above {percent(GAIN_WIDE)}")
    unknown = [one["name"] for one in played(results)
               if one.get("measured_gain") is not None and one["label"] in ("unknown", "at_least")]
    if unknown:
        lines.append(f"gain said to be unknown or a lower bound: {', '.join(unknown)}")
    return lines


def markdown(results):
    rows = ["| scenario | state | truth: verdict, stall | said: verdict, stall | images/s | predicted gain | measured gain | error |",
            "|---|---|---|---|---|---|---|---|"]
    for one in results:
        told = f"| {one['name']} | {one['state']} | {' or '.join(one['expected'])}"
        if one["outcome"] != "played":
            rows.append(f"{told} | {one['outcome']}: {one['reason']} | | | | |")
            continue
        label = {"up_to": "up to ", "at_least": "at least "}.get(one["label"], "")
        predicted = "unknown" if one["predicted_gain"] is None else label + percent(one["predicted_gain"], "+")
        rows.append(f"{told}, {percent(one['true_stall'])} "
                    f"| {one['verdict']}{'' if one['right'] else ' (wrong)'}, {percent(one['stall_share'])} | {one['images_per_s']:.0f} "
                    f"| {predicted} | {percent(one.get('measured_gain'), '+')} | {percent(gain_error(one), '+')} |")
    return "\n".join(rows)
