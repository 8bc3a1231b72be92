package io.statestore.broker.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.statestore.protocol.Version;

/**
 * Time during which a holder has seen that its lock was valid.
 *
 * @param lock the lock's key
 * @param holder client id
 * @param token the lock's fencing token
 * @param from time after the first check
 * @param to time before the last check that succeeded
 */
record Holding(String lock, String holder, Version token, long from, long to) {

	/** Returns a description of each pair of simultaneous holders of a lock. */
	static List<String> overlaps(List<Holding> holdings) {
		List<String> result = new ArrayList<>();
		byLock(holdings).forEach((ofLock) -> {
			Holding last = ofLock.get(0);
			for (Holding next : ofLock.subList(1, ofLock.size())) {
				if (next.from < last.to) {
					result.add(last + " and " + next);
				}
				last = (next.to > last.to) ? next : last;
			}
		});
		return result;
	}

	/**
	 * Returns a description of each fencing token that is not greater than an earlier
	 * token of the same lock.
	 */
	static List<String> repeatedTokens(List<Holding> holdings) {
		List<String> result = new ArrayList<>();
		byLock(holdings).forEach((ofLock) -> {
			for (int i = 1; i < ofLock.size(); i++) {
				if (ofLock.get(i).token.compareTo(ofLock.get(i - 1).token) <= 0) {
					result.add(ofLock.get(i) + " after " + ofLock.get(i - 1));
				}
			}
		});
		return result;
	}

	private static List<List<Holding>> byLock(List<Holding> holdings) {
		return List.copyOf(holdings.stream()
			.sorted(Comparator.comparingLong(Holding::from))
			.collect(Collectors.groupingBy(Holding::lock))
			.values());
	}

}
