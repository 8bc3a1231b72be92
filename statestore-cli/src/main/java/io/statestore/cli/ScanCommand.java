package io.statestore.cli;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore scan}: lists keys. */
@Command(name = "scan", description = "Lists the keys that match a pattern. Works on servers that support SCAN.")
final class ScanCommand extends StoreCommand {

	/** Number of values that are read at once. */
	private static final int BATCH = 100;

	@Parameters(arity = "0..1", paramLabel = "<pattern>", defaultValue = "*",
			description = "Pattern with * (any characters), ? (one character), and [abc] (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--values", description = "Show values and versions, too")
	private boolean values;

	@Option(names = "--show", paramLabel = "<format>",
			description = "Show values as text, json, or hex (default: based on their content)")
	private @Nullable ValueFormat show;

	@Option(names = "--limit", paramLabel = "<number>", description = "Stop after this number of keys")
	private int limit = Integer.MAX_VALUE;

	@Option(names = "--count", description = "Print the number of keys instead of the keys")
	private boolean count;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	void validate() {
		requirePattern(this.pattern);
		if (this.limit < 1) {
			throw CliException.usage("The value of --limit is " + this.limit + "; use at least 1");
		}
	}

	/**
	 * Checks a pattern before a server refuses it without a reason.
	 * @throws CliException if it is invalid
	 */
	static void requirePattern(String pattern) {
		try {
			GlobPattern.of(Bytes.of(pattern));
		}
		catch (ProtocolException ex) {
			throw CliException.usage("Invalid <pattern> '" + pattern
					+ "'; close each [ with ], write ranges in ascending order, such as [a-z], and use at most "
					+ GlobPattern.MAX_LENGTH + " bytes. [[] stands for the character [");
		}
	}

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		Iterator<Key> keys = template.scan(this.pattern).iterator();
		if (this.count) {
			long number = 0;
			for (; number < this.limit && keys.hasNext(); number++) {
				keys.next();
			}
			this.output.print(Map.of("keys", number));
			return ExitCodes.OK;
		}
		if (this.values) {
			printEntries(template, keys);
		}
		else {
			try (RecordWriter records = this.output.records("key")) {
				for (int i = 0; i < this.limit && keys.hasNext(); i++) {
					records.write(keys.next());
				}
			}
		}
		return ExitCodes.OK;
	}

	private void printEntries(StateStoreTemplate template, Iterator<Key> keys) {
		try (RecordWriter records = this.output.records("key", "version", "time", "size", "format", "value")) {
			int left = this.limit;
			while (left > 0 && keys.hasNext()) {
				List<Key> batch = new ArrayList<>();
				for (; left > 0 && batch.size() < BATCH && keys.hasNext(); left--) {
					batch.add(keys.next());
				}
				// A key that was deleted meanwhile is missing in the result.
				for (Entry<Bytes> entry : template.getAll(batch, Bytes.class).values()) {
					ShownValue value = ShownValue.of(entry.value(), this.show);
					records.write(entry.key(), entry.version(), Versions.time(entry.version()), entry.value().length(),
							value.format().name().toLowerCase(Locale.ROOT), value);
				}
			}
		}
	}

}
