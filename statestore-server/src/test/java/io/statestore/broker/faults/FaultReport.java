package io.statestore.broker.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.statestore.broker.crash.Check;
import io.statestore.broker.crash.CrashAnalysis;
import io.statestore.broker.crash.CrashReport;
import io.statestore.broker.crash.Recorder;
import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Reply;

/**
 * Result of a run.
 *
 * @param counts what has happened, by description
 * @param violations descriptions of all violations, by property description
 * @param foundInjectedRead whether the checks found a stale read that was inserted into
 * the history
 */
record FaultReport(Map<String, Long> counts, Map<String, List<String>> violations, boolean foundInjectedRead) {

	static final String ACKNOWLEDGED = "Acknowledged changes";

	static final String NOTIFICATIONS = "Notifications of MQTT clients";

	static final String DELIVERED = "Changes delivered by our client";

	static final String MESSAGES = "Messages acknowledged and delivered";

	static final String LOCKS = "Locks held";

	static final String INCREMENTS = "Increments of our clients";

	static final String ENDED = "Processes that ended by themselves";

	static FaultReport of(FaultRun run, FaultLoad load, Recorder recorder, List<Holding> exact, List<String> missing) {
		List<Operation> operations = recorder.operations();
		CrashReport analysis = new CrashAnalysis(recorder).report(List.of());
		Map<String, Long> counts = new LinkedHashMap<>();
		counts.put("Seconds", run.duration().toSeconds());
		run.faults().forEach((kind, count) -> counts.put(kind.toString(), (long) count));
		counts.put(ENDED, (long) run.nodes().ended());
		counts.put("Large values refused on a full disk", (long) run.refusals());
		counts.put("Transfers after which the other node led", (long) run.transfers());
		List<Duration> recoveries = run.recoveries().stream().sorted().toList();
		counts.put("Until all nodes served again, median (ms)", recoveries.get(recoveries.size() / 2).toMillis());
		counts.put("Until all nodes served again, longest (ms)", recoveries.get(recoveries.size() - 1).toMillis());
		counts.put("Requests", (long) analysis.requests());
		analysis.kinds().forEach((kind, count) -> counts.put("- " + kind, (long) count));
		counts.put(ACKNOWLEDGED, (long) analysis.changes());
		counts.put("Requests sent again, with the same correlation data", (long) load.recorder().repeatedRequests());
		counts.put("Requests with an unknown outcome", (long) analysis.unknown());
		errors(operations).forEach((reason, count) -> counts.put("Refused: " + reason, count));
		counts.put(NOTIFICATIONS, (long) analysis.notifications());
		counts.put(DELIVERED, load.delivered());
		counts.put(MESSAGES, load.messages());
		counts.put("Sessions continued", load.resumed());
		counts.put(LOCKS, (long) load.holdings().size());
		counts.put(INCREMENTS, load.increments());
		counts.put("Writes under a lock", operations.stream().filter(StaleWrites::isGuarded).count());
		return new FaultReport(counts, violations(load, operations, analysis, exact, missing),
				findsInjectedRead(operations, run.random()));
	}

	private static boolean findsInjectedRead(List<Operation> operations, Random random) {
		List<Operation> defective = StaleRead.inject(operations, random);
		return defective != null && !LinearizabilityChecker.check(defective).isEmpty();
	}

	private static Map<String, Long> errors(List<Operation> operations) {
		return operations.stream()
			.filter((operation) -> operation.reply() instanceof Reply.Error)
			.collect(Collectors.groupingBy((operation) -> ((Reply.Error) operation.reply()).reason().toString(),
					TreeMap::new, Collectors.counting()));
	}

	private static Map<String, List<String>> violations(FaultLoad load, List<Operation> operations,
			CrashReport analysis, List<Holding> exact, List<String> missing) {
		Map<String, List<String>> violations = new LinkedHashMap<>();
		for (Check check : Check.values()) {
			if (check != Check.LOST_SESSIONS) {
				violations.put(check.toString(), analysis.violations(check));
			}
		}
		violations.put("Stale writes accepted", StaleWrites.accepted(operations));
		violations.put("Two valid holders of a lock", Holding.overlaps(exact));
		violations.put("Fencing tokens repeated or out of order", Holding.repeatedTokens(load.holdings()));
		violations.put("Changes delivered out of order", load.outOfOrder());
		violations.put("Last values not delivered", missing);
		violations.put("Increments of our clients lost or repeated", load.miscounted());
		return violations;
	}

	List<String> allViolations() {
		List<String> result = new ArrayList<>();
		this.violations.forEach((check, texts) -> texts.forEach((text) -> result.add(check + ": " + text)));
		return result;
	}

	/** Returns a table in Markdown. */
	String toMarkdown() {
		StringBuilder table = new StringBuilder("| | |\n|---|--:|\n");
		this.counts.forEach((name, count) -> row(table, name, count));
		this.violations.forEach((name, texts) -> row(table, name, texts.size()));
		return table.toString();
	}

	private static void row(StringBuilder table, String name, long value) {
		table.append("| ").append(name).append(" | ").append(String.format("%,d", value)).append(" |\n");
	}

}
