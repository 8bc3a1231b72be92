package io.statestore.broker.crash;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Result of a run.
 *
 * @param restarts time from each start until the broker accepted clients
 * @param requests number of requests
 * @param changes number of requests that changed a key, as their replies confirm
 * @param rejected number of requests that were answered with a disk error
 * @param failed number of requests that were acknowledged with an error and without a
 * reply
 * @param repeated number of requests sent again after a restart
 * @param unknown number of requests whose outcome stayed unknown
 * @param notifications number of notifications
 * @param kinds number of requests of each kind
 * @param violations descriptions of all violations
 */
public record CrashReport(List<Duration> restarts, int requests, int changes, int rejected, int failed, int repeated,
		int unknown, int notifications, Map<RequestKind, Integer> kinds, Map<Check, List<String>> violations) {

	/** Returns the descriptions of the violations of a property. */
	public List<String> violations(Check check) {
		return this.violations.getOrDefault(check, List.of());
	}

	/** Returns a table in Markdown. */
	String toMarkdown() {
		StringBuilder table = new StringBuilder("| | |\n|---|--:|\n");
		row(table, "Kills under load", this.restarts.size());
		row(table, "Requests", this.requests);
		this.kinds.forEach((kind, count) -> row(table, "- " + kind, count));
		row(table, "Acknowledged changes", this.changes);
		row(table, "Requests rejected because of the disk", this.rejected);
		row(table, "Requests without a reply because the store stopped", this.failed);
		row(table, "Requests sent again after a restart", this.repeated);
		row(table, "Requests with an unknown outcome", this.unknown);
		row(table, "Notifications", this.notifications);
		List<Duration> sorted = this.restarts.stream().sorted().toList();
		if (!sorted.isEmpty()) {
			row(table, "Time of a start, median (ms)", sorted.get(sorted.size() / 2).toMillis());
			row(table, "Time of a start, longest (ms)", sorted.get(sorted.size() - 1).toMillis());
		}
		for (Check check : Check.values()) {
			row(table, check.toString(), violations(check).size());
		}
		return table.toString();
	}

	private static void row(StringBuilder table, String name, long value) {
		table.append("| ").append(name).append(" | ").append(String.format("%,d", value)).append(" |\n");
	}

}
