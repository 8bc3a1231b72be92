package io.statestore.cli;

import java.util.Iterator;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.KeyScan;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore scan}: lists keys. */
@Command(name = "scan",
		description = "Lists, in sorted order, the keys that match a pattern. Requires a server that supports SCAN.")
final class ScanCommand extends ResultCommand {

	/** Maximum number of keys sorted in memory. */
	private static final int MAX_SORTED = 50_000;

	/**
	 * Maximum size of the keys sorted in memory, in bytes; the last key may exceed it.
	 */
	static final long MAX_BYTES = 64 << 20;

	@Parameters(arity = "0..1", paramLabel = "<pattern>", defaultValue = "*", converter = Converters.Pattern.class,
			description = "Pattern with * (any characters), ? (one character), and [abc] (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--values", description = "Also show values and versions")
	private boolean values;

	@Mixin
	private final ShownValue.Show show = new ShownValue.Show();

	@Option(names = "--limit", paramLabel = "<number>", description = "List at most this number of keys")
	private long limit = Long.MAX_VALUE;

	@Option(names = "--count", description = "Print only the number of keys")
	private boolean count;

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		KeyScan scan = template.scan(this.pattern);
		if (this.count) {
			print("keys", scan.stream().limit(this.limit).count());
			return ExitCodes.OK;
		}
		Iterator<Key> keys = sorted(scan, (int) Math.min(this.limit, MAX_SORTED), MAX_BYTES).limit(this.limit)
			.iterator();
		return this.values
				? list("key version time size format value",
						(records) -> Session.forEachEntry(template, keys, (entry) -> write(records, entry)))
				: list("key", (records) -> keys.forEachRemaining(records::write));
	}

	private void write(RecordWriter records, Entry<Bytes> entry) {
		ShownValue value = this.show.of(entry.value());
		records.write(entry.key(), entry.version(), Texts.time(entry.version()), entry.value().length(), value.format(),
				value);
	}

	/**
	 * Returns the keys of a scan in byte order. The store returns them unordered.
	 * Therefore, each pass scans all keys and keeps the first keys that follow those of
	 * the previous pass.
	 * @param max maximum number of keys in memory
	 * @param maxBytes maximum size of these keys in bytes; the last key may exceed it
	 */
	static Stream<Key> sorted(KeyScan scan, int max, long maxBytes) {
		return Stream.iterate(first(scan, null, max, maxBytes), (pass) -> !pass.isEmpty(),
				(pass) -> (pass.size() < max && bytes(pass) < maxBytes) ? new TreeSet<>()
						: first(scan, pass.last(), max, maxBytes))
			.flatMap(TreeSet::stream);
	}

	private static long bytes(TreeSet<Key> keys) {
		return keys.stream().mapToLong((key) -> key.bytes().length()).sum();
	}

	private static TreeSet<Key> first(KeyScan scan, @Nullable Key previous, int max, long maxBytes) {
		TreeSet<Key> first = new TreeSet<>();
		long bytes = 0;
		for (Key key : scan) {
			if (previous == null || key.compareTo(previous) > 0) {
				bytes += first.add(key) ? key.bytes().length() : 0;
				while (first.size() > max || bytes - first.last().bytes().length() >= maxBytes) {
					bytes -= first.last().bytes().length();
					first.pollLast();
				}
			}
		}
		return first;
	}

}
