package io.statestore.dafka.loss;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares the acknowledged records with the received records. */
final class LossLedger {

	private final Map<Integer, TreeMap<Long, Sample>> acknowledged = new HashMap<>();

	/** Content by producer and offset. All consumers must receive the same content. */
	private final Map<Integer, Map<Long, Sample>> contents = new HashMap<>();

	private final Map<Sample, Long> offsets = new HashMap<>();

	private final List<String> mistakes = new ArrayList<>();

	/** Adds the lines in a producer's file. */
	void acknowledged(int producer, Path file) {
		TreeMap<Long, Sample> samples = this.acknowledged.computeIfAbsent(producer, (key) -> new TreeMap<>());
		for (Entry entry : Entry.read(file)) {
			Sample other = samples.put(entry.offset(), entry.sample());
			check(other == null, "Acknowledged at one offset: %s and %s", other, entry);
			remember(producer, entry);
		}
	}

	/** Returns the number of distinct records that a producer had acknowledged. */
	long count(int producer) {
		return this.acknowledged.get(producer).values().stream().map(Sample::number).distinct().count();
	}

	/** Returns the offset of the last acknowledged record. */
	long last(int producer) {
		return this.acknowledged.get(producer).lastKey();
	}

	/** Returns all deviations found so far. */
	List<String> mistakes() {
		return this.mistakes;
	}

	/**
	 * Adds the lines in a consumer's files.
	 * @param lives files of the consumer's successive processes; records may be repeated
	 * only from one process to the next
	 */
	Summary delivered(String name, List<Path> lives) {
		Map<Integer, Map<Long, Sample>> delivered = new HashMap<>();
		Map<Integer, Long> reached = new HashMap<>();
		long again = 0;
		long lost = 0;
		for (Path life : lives) {
			Map<Integer, Long> next = new HashMap<>();
			for (Entry entry : Entry.read(life)) {
				int producer = entry.sample().producer();
				Long expected = next.put(producer, entry.offset() + entry.count());
				if (expected != null) {
					check(entry.offset() == expected, "%s: expected offset %s, not %s", name, expected, entry);
				}
				else {
					long before = reached.getOrDefault(producer, 0L);
					check(entry.offset() <= before, "%s: continues after %s, at %s", name, before, entry);
				}
				if (entry.isLost()) {
					lost += entry.count();
					Map<Long, Sample> missing = this.acknowledged.get(producer)
						.subMap(entry.offset(), entry.offset() + entry.count());
					check(missing.isEmpty(), "%s: acknowledged, but reported as lost: %s records, %s", name,
							missing.size(), entry);
				}
				else {
					check(entry.sample().number() != Entry.WRONG, "%s: wrong content, %s", name, entry);
					remember(producer, entry);
					Map<Long, Sample> of = delivered.computeIfAbsent(producer, (key) -> new HashMap<>());
					again += (of.put(entry.offset(), entry.sample()) != null) ? 1 : 0;
				}
			}
			next.forEach((producer, offset) -> reached.merge(producer, offset, Math::max));
		}
		this.acknowledged.forEach((producer, samples) -> samples
			.forEach((offset, sample) -> check(sample.equals(delivered.getOrDefault(producer, Map.of()).get(offset)),
					"%s: without %s at %s", name, sample, offset)));
		return new Summary(delivered.values().stream().mapToLong(Map::size).sum(), again, lost);
	}

	private void remember(int producer, Entry entry) {
		Sample other = this.contents.computeIfAbsent(producer, (key) -> new HashMap<>())
			.putIfAbsent(entry.offset(), entry.sample());
		check(other == null || other.equals(entry.sample()), "At one offset: %s and %s", other, entry);
		Long elsewhere = this.offsets.putIfAbsent(entry.sample(), entry.offset());
		check(elsewhere == null || elsewhere == entry.offset(), "Twice, at %s and %s", elsewhere, entry);
	}

	private void check(boolean right, String mistake, Object... values) {
		if (!right && this.mistakes.size() < 100) {
			this.mistakes.add(String.format(mistake, values));
		}
	}

	/**
	 * Records that a consumer received.
	 *
	 * @param records number of distinct records
	 * @param again number of records received again after a restart
	 * @param lost number of records reported as lost
	 */
	record Summary(long records, long again, long lost) {
	}

}
