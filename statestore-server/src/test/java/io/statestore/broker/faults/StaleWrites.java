package io.statestore.broker.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Finds writes under a lock that were accepted although a write with a newer token had
 * been acknowledged before they were sent. The keys are never deleted.
 */
final class StaleWrites {

	private StaleWrites() {
	}

	/** Returns whether a write is under a lock. */
	static boolean isGuarded(Operation operation) {
		return operation.key().toUtf8().startsWith("guarded") && operation.token() != null;
	}

	static List<String> accepted(List<Operation> operations) {
		List<String> result = new ArrayList<>();
		operations.stream()
			.filter((operation) -> isGuarded(operation) && operation.hasChanged())
			.collect(Collectors.groupingBy(Operation::key))
			.values()
			.forEach((ofKey) -> check(ofKey, result));
		return result;
	}

	private static void check(List<Operation> writes, List<String> result) {
		List<Operation> byEnd = writes.stream().sorted(Comparator.comparingLong(Operation::returned)).toList();
		List<Operation> byStart = writes.stream().sorted(Comparator.comparingLong(Operation::invoked)).toList();
		int next = 0;
		@Nullable Version newest = null;
		for (Operation write : byStart) {
			while (next < byEnd.size() && byEnd.get(next).returned() < write.invoked()) {
				Version token = byEnd.get(next++).token();
				newest = (newest == null || newest.compareTo(token) < 0) ? token : newest;
			}
			if (newest != null && write.token() != null && write.token().compareTo(newest) < 0) {
				result.add(write + " after one with token " + newest);
			}
		}
	}

}
