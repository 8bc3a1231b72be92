package io.statestore.cli;

import java.util.Iterator;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore scan}: lists keys. */
@Command(name = "scan", description = "Lists the keys that match a pattern. Works on servers that support SCAN.")
final class ScanCommand extends ResultCommand {

	/** Number of values that are read at once. */
	private static final int BATCH = 100;

	@Parameters(arity = "0..1", paramLabel = "<pattern>", defaultValue = "*", converter = Converters.Pattern.class,
			description = "Pattern with * (any characters), ? (one character), and [abc] (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--values", description = "Show values and versions, too")
	private boolean values;

	@Mixin
	private final ShowOption show = new ShowOption();

	@Option(names = "--limit", paramLabel = "<number>", converter = Converters.Positive.class,
			description = "Stop after this number of keys")
	private long limit = Long.MAX_VALUE;

	@Option(names = "--count", description = "Print the number of keys instead of the keys")
	private boolean count;

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		Iterator<Key> keys = template.scan(this.pattern).stream().limit(this.limit).iterator();
		if (this.count) {
			long number = 0;
			for (; keys.hasNext(); number++) {
				keys.next();
			}
			print("keys", number);
		}
		else if (this.values) {
			printEntries(template, keys);
		}
		else {
			try (RecordWriter records = records("key")) {
				keys.forEachRemaining(records::write);
			}
		}
		return ExitCodes.OK;
	}

	private void printEntries(StateStoreTemplate template, Iterator<Key> keys) {
		try (RecordWriter records = records("key", "version", "time", "size", "format", "value")) {
			Session.forEachEntry(template, keys, BATCH, (entry) -> {
				ShownValue value = this.show.of(entry.value());
				records.write(entry.key(), entry.version(), Versions.time(entry.version()), entry.value().length(),
						value.format(), value);
			});
		}
	}

}
