package io.statestore.broker.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.statestore.broker.linearizability.LinearizabilityChecker;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Checks what the clients of a run have seen. Linearizability implies several of the
 * other properties. These are also checked separately, because a number of lost writes
 * says more than the statement that a history is not linearizable.
 */
public final class CrashAnalysis {

	private final Recorder recorder;

	private final List<Operation> operations;

	/** All sightings, in time order. */
	private final List<Sighting> sightings;

	/** Requests by their values, each of which is stored by only one request. */
	private final Map<Bytes, Operation> requestsByValue = new HashMap<>();

	private final Map<Check, List<String>> violations = new EnumMap<>(Check.class);

	/** Prepares an analysis of everything that was recorded. */
	public CrashAnalysis(Recorder recorder) {
		this.recorder = recorder;
		this.operations = recorder.operations();
		this.sightings = Sighting.all(this.operations, recorder.notifications());
		Set<Bytes> renewed = new HashSet<>();
		for (Operation operation : this.operations) {
			Command.Set set = operation.set();
			boolean unique = set != null && !Workload.isCounter(set.key());
			if (unique && this.requestsByValue.put(set.value(), operation) != null) {
				renewed.add(set.value());
			}
		}
		this.requestsByValue.keySet().removeAll(renewed);
	}

	/**
	 * Checks everything.
	 * @param restarts duration of each start, for the report
	 */
	public CrashReport report(List<Duration> restarts) {
		checkVersions();
		checkOrderOfVersions();
		Map<Operation, Sighting> firstSightings = checkValues();
		new LossCheck(this.operations, this::add).run();
		checkCounters();
		new NotificationCheck(this.operations, this.recorder.notifications(), this::add).run();
		this.recorder.differentReplies().forEach((text) -> add(Check.EXECUTED_TWICE, text));
		this.recorder.lostSessions().forEach((text) -> add(Check.LOST_SESSIONS, text));
		LinearizabilityChecker.check(this.operations.stream().map((operation) -> {
			Sighting sighting = firstSightings.get(operation);
			return (sighting != null) ? operation.completed(new Reply.Ok(), sighting.version(), sighting.time())
					: operation;
		}).toList()).forEach((key, text) -> add(Check.LINEARIZABILITY, key.toUtf8() + ": " + text));
		return new CrashReport(restarts, this.operations.size(), count(this.operations, Operation::hasChanged),
				count(this.operations, CrashAnalysis::isRejected), this.recorder.failedRequests(),
				this.recorder.repeatedRequests(), count(this.operations, (operation) -> !operation.hasEnded()),
				this.recorder.notifications().size(), RequestKind.count(this.operations), this.violations);
	}

	private static boolean isRejected(Operation operation) {
		return operation.reply() instanceof Reply.Error error && error.reason() == ErrorReason.QUOTA_EXCEEDED;
	}

	private static <T> int count(Collection<T> elements, Predicate<T> condition) {
		return (int) elements.stream().filter(condition).count();
	}

	private void add(Check check, Object violation) {
		this.violations.computeIfAbsent(check, (key) -> new ArrayList<>()).add(violation.toString());
	}

	/** Checks that each version belongs to only one change. */
	private void checkVersions() {
		this.sightings.stream().collect(Collectors.groupingBy(Sighting::version)).forEach((version, same) -> {
			boolean differ = same.stream().anyMatch((sighting) -> !sighting.hasSameContent(same.get(0)));
			if (differ || same.stream().filter((sighting) -> sighting.change() != null).count() > 1) {
				add(Check.REPEATED_VERSIONS, same);
			}
		});
	}

	/**
	 * Checks that a change has a greater version than all versions seen before it was
	 * requested.
	 */
	private void checkOrderOfVersions() {
		List<Operation> changes = this.operations.stream()
			.filter(Operation::hasChanged)
			.sorted(Comparator.comparingLong(Operation::invoked))
			.toList();
		int next = 0;
		@Nullable Sighting greatest = null;
		for (Operation change : changes) {
			while (next < this.sightings.size() && this.sightings.get(next).time() < change.invoked()) {
				Sighting sighting = this.sightings.get(next++);
				greatest = (greatest == null || greatest.version().compareTo(sighting.version()) < 0) ? sighting
						: greatest;
			}
			if (greatest != null && change.version() != null && change.version().compareTo(greatest.version()) <= 0) {
				add(Check.REPEATED_VERSIONS, change + " after " + greatest);
			}
		}
	}

	/**
	 * Checks that a counter's last value is at least the number of acknowledged
	 * increments, and at most the number of increments that were not refused.
	 */
	private void checkCounters() {
		this.operations.stream()
			.filter((operation) -> Workload.isCounter(operation.key()))
			.collect(Collectors.groupingBy(Operation::key))
			.forEach((key, ofKey) -> {
				List<Operation> increments = ofKey.stream()
					.filter(RequestKind.REPLACE::includes)
					.collect(Collectors.toList());
				ofKey.stream().filter(RequestKind.INCRBY::includes).forEach(increments::add);
				long acknowledged = count(increments, Operation::hasChanged);
				long attempted = acknowledged + count(increments, (operation) -> !operation.hasEnded());
				long last = this.sightings.stream()
					.filter((sighting) -> sighting.key().equals(key) && sighting.value() != null)
					.max(Comparator.comparing(Sighting::version))
					.map((sighting) -> Long.parseLong(sighting.value().toUtf8()))
					.orElse(0L);
				if (last < acknowledged || last > attempted) {
					add(Check.COUNTERS, "%s is %s after %s acknowledged increments, and %s attempted"
						.formatted(key.toUtf8(), last, acknowledged, attempted));
				}
			});
	}

	/**
	 * Checks that a value stored by only one request has one version, or no version if
	 * the request was rejected. Returns the first sightings of changes whose requests
	 * have no reply.
	 */
	private Map<Operation, Sighting> checkValues() {
		Map<Operation, Sighting> result = new HashMap<>();
		Map<Bytes, Version> versions = new HashMap<>();
		Set<Bytes> reported = new HashSet<>();
		for (Sighting sighting : this.sightings) {
			Operation request = (sighting.value() != null) ? this.requestsByValue.get(sighting.value()) : null;
			if (request != null) {
				Version first = versions.putIfAbsent(sighting.value(), sighting.version());
				if (first != null && !first.equals(sighting.version()) && reported.add(sighting.value())) {
					add(Check.EXECUTED_TWICE, request + " has versions " + first + " and " + sighting.version());
				}
				if (!request.hasEnded()) {
					result.putIfAbsent(request, sighting);
				}
				else if (!request.hasChanged() && reported.add(sighting.value())) {
					add(Check.REJECTED_WRITES, request + " but there was " + sighting);
				}
			}
		}
		return result;
	}

}
