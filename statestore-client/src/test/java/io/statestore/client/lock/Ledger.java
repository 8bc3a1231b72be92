package io.statestore.client.lock;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.statestore.protocol.Version;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reports of processes about their increments of a counter. Verifies that each count has
 * exactly one increment, which the store confirmed or a process has read, and that no
 * confirmed increment is missing.
 */
final class Ledger {

	/** Increments that were about to be written, by attempt. */
	private final Map<String, Increment> attempts = new HashMap<>();

	/**
	 * Outcomes reported by a {@link LockWorker}, by attempt. An attempt whose process
	 * died has none.
	 */
	private final Map<String, String> outcomes = new HashMap<>();

	/** Increments that were certainly stored, by count. */
	private final TreeMap<Long, Increment> stored = new TreeMap<>();

	private final Set<String> contradictions = new HashSet<>();

	private int losses;

	/** Records a report of a process. */
	synchronized void report(String writer, String line) {
		String[] parts = line.split(" ", 2);
		switch (parts[0]) {
			case "TRY" -> {
				Increment increment = Increment.parse(parts[1]);
				this.attempts.put(increment.attempt(), increment);
			}
			case "SAW" -> recordStored(Increment.parse(parts[1]));
			case "DONE" -> {
				recordOutcome(writer, parts);
				recordStored(Objects.requireNonNull(this.attempts.get(writer + ' ' + parts[1])));
			}
			case "STALE", "UNKNOWN", "NOT" -> recordOutcome(writer, parts);
			case "LOST" -> this.losses++;
			default -> this.contradictions.add("Unknown report: " + line);
		}
	}

	private void recordOutcome(String writer, String[] parts) {
		String attempt = writer + ' ' + parts[1];
		// Other attempts failed before they were about to write.
		if (this.attempts.containsKey(attempt)) {
			this.outcomes.put(attempt, parts[0]);
		}
	}

	private void recordStored(Increment increment) {
		Increment other = this.stored.putIfAbsent(increment.count(), increment);
		if (other != null && !other.equals(increment)) {
			this.contradictions.add("Two increments with the same count: " + other + ", " + increment);
		}
	}

	/** Returns the stored increment with the highest count. */
	synchronized Increment last() {
		return this.stored.isEmpty() ? Increment.NONE : this.stored.lastEntry().getValue();
	}

	/** Returns the number of attempts with an outcome. */
	synchronized long count(String outcome) {
		return this.outcomes.values().stream().filter(outcome::equals).count();
	}

	/**
	 * Verifies the reports against the value in the store after the end.
	 * @param last value in the store
	 * @return number of stored increments that were not confirmed
	 */
	synchronized long verify(Increment last) {
		recordStored(last);
		this.stored.remove(0L);
		assertThat(this.contradictions).isEmpty();
		assertThat(this.stored.lastKey()).isEqualTo(last.count());
		assertThat(this.stored).as("each count").hasSize((int) last.count());
		Version token = Increment.NONE.token();
		long unconfirmed = 0;
		for (Increment increment : this.stored.values()) {
			assertThat(this.attempts).containsEntry(increment.attempt(), increment);
			assertThat(increment.token()).as("token of " + increment).isGreaterThanOrEqualTo(token);
			token = increment.token();
			String outcome = this.outcomes.getOrDefault(increment.attempt(), "DEAD");
			assertThat(outcome).as("outcome of " + increment).isIn("DONE", "UNKNOWN", "DEAD");
			unconfirmed += outcome.equals("DONE") ? 0 : 1;
		}
		assertThat(last.count()).isEqualTo(count("DONE") + unconfirmed);
		return unconfirmed;
	}

	@Override
	public synchronized String toString() {
		return last().count() + " increments, " + count("DONE") + " of them confirmed, " + count("STALE")
				+ " stale writes refused, " + count("UNKNOWN") + " unknown outcomes, " + count("NOT") + " not sent, "
				+ this.losses + " losses noticed";
	}

}
