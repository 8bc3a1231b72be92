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
 * What processes have said about their increments, and whether it can all be true: each
 * count has exactly one increment, the store confirmed it or somebody has read it, and
 * nothing that the store confirmed is missing.
 */
final class Ledger {

	/** What each attempt was going to write, by attempt. */
	private final Map<String, Increment> attempts = new HashMap<>();

	/**
	 * How attempts ended, in the words of {@link LockWorker}; none if their process died.
	 */
	private final Map<String, String> outcomes = new HashMap<>();

	/** What was in the store for certain, by count. */
	private final TreeMap<Long, Increment> stored = new TreeMap<>();

	private final Set<String> contradictions = new HashSet<>();

	private int losses;

	synchronized void report(String writer, String line) {
		String[] parts = line.split(" ", 2);
		switch (parts[0]) {
			case "TRY" -> {
				Increment increment = Increment.parse(parts[1]);
				this.attempts.put(increment.attempt(), increment);
			}
			case "SAW" -> saw(Increment.parse(parts[1]));
			case "DONE" -> {
				ended(writer, parts);
				saw(Objects.requireNonNull(this.attempts.get(writer + ' ' + parts[1])));
			}
			case "STALE", "UNKNOWN", "NOT" -> ended(writer, parts);
			case "LOST" -> this.losses++;
			default -> this.contradictions.add("Unknown report: " + line);
		}
	}

	private void ended(String writer, String[] parts) {
		String attempt = writer + ' ' + parts[1];
		// Others failed before they were going to write anything.
		if (this.attempts.containsKey(attempt)) {
			this.outcomes.put(attempt, parts[0]);
		}
	}

	private void saw(Increment increment) {
		Increment other = this.stored.putIfAbsent(increment.count(), increment);
		if (other != null && !other.equals(increment)) {
			this.contradictions.add("Stored one over the other: " + other + ", " + increment);
		}
	}

	/** The highest count that is certain, and whose it is. */
	synchronized Increment last() {
		return this.stored.isEmpty() ? Increment.NONE : this.stored.lastEntry().getValue();
	}

	/** How many attempts ended like this. */
	synchronized long count(String outcome) {
		return this.outcomes.values().stream().filter(outcome::equals).count();
	}

	/**
	 * Compare with what is in the store after the end.
	 * @return how many increments are there that nobody has confirmed
	 */
	synchronized long verify(Increment last) {
		saw(last);
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
