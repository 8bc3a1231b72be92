package io.statestore.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.WatchSpec;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore watch}: prints changes of keys as they happen. */
@Command(name = "watch", description = "Prints changes to keys as they arrive. Stop with Ctrl+C.")
final class WatchCommand extends ResultCommand {

	private static final Duration FOREVER = Duration.ofDays(36_500);

	@Parameters(arity = "1..*", paramLabel = "<key>", description = "Keys or patterns to watch")
	private List<String> keys = new ArrayList<>();

	@Option(names = "--hex-key", description = "Treat the keys as hexadecimal, such as 00ff")
	private boolean hexadecimal;

	@Option(names = { "-i", "--initial" }, description = "Print the current values first")
	private boolean initial;

	@Option(names = { "-c", "--count" }, paramLabel = "<number>", converter = Converters.Positive.class,
			description = "Stop after this number of changes")
	private long count = Long.MAX_VALUE;

	@Option(names = "--for", paramLabel = "<time>", description = "Stop after this time, such as 30s")
	private Duration time = FOREVER;

	@Mixin
	private final ShowOption show = new ShowOption();

	@Option(names = "--color", paramLabel = "<when>", defaultValue = "auto",
			description = "When to use colors: always, never, or auto, which means on a terminal unless NO_COLOR is "
					+ "set (default: ${DEFAULT-VALUE})")
	private ColorMode color = ColorMode.AUTO;

	@Override
	void validate() {
		watchedKeys();
	}

	private List<Key> watchedKeys() {
		return this.keys.stream().distinct().map((key) -> KeyCommand.key(key, this.hexadecimal)).toList();
	}

	private KeyWatch watch(StateStoreTemplate template, Key key, Consumer<WatchSpec> spec,
			KeyChangeListener<Bytes> listener) {
		return this.hexadecimal ? template.watch(key, Bytes.class, spec, listener)
				: template.watch(key.bytes().toUtf8(), Bytes.class, spec, listener);
	}

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.watchingTemplate();
		ChangePrinter printer = new ChangePrinter(environment(), format(), this.color, this.show);
		AtomicLong left = new AtomicLong(this.count);
		// Fails immediately if there is no connection; a watch would wait for one.
		template.get(watchedKeys().get(0), Bytes.class);
		List<KeyWatch> watches = new ArrayList<>();
		try (Stop stop = Stop.onSignals()) {
			for (Key key : watchedKeys()) {
				watches.add(watch(template, key, (spec) -> {
					spec.onState(printer::state);
					if (this.initial) {
						spec.initial();
					}
				}, (change) -> {
					boolean accepted = left.getAndDecrement() <= 0 || printer.print(change);
					if (!accepted || left.get() <= 0) {
						stop.request();
					}
				}));
			}
			stop.await(this.time);
		}
		finally {
			printer.close();
			watches.forEach(KeyWatch::close);
		}
		return ExitCodes.OK;
	}

}
