package io.statestore.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.WatchSpec;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command {@code statestore watch}: prints changes of keys as they happen. Its monitor
 * guards the output, because several threads report changes.
 */
@Command(name = "watch", description = "Prints changes to keys as they arrive. Stop with Ctrl+C.")
final class WatchCommand extends ResultCommand {

	@Parameters(arity = "1..*", paramLabel = "<key>", description = "Keys or patterns to watch")
	private List<String> keys = new ArrayList<>();

	@Option(names = "--hex-key", description = "Treat the keys as hexadecimal, such as 00ff")
	private boolean hexadecimal;

	@Option(names = { "-i", "--initial" }, description = "Print the current values first")
	private boolean initial;

	@Option(names = { "-c", "--count" }, paramLabel = "<number>", description = "Stop after this number of changes")
	private long left = Long.MAX_VALUE;

	@Option(names = "--for", paramLabel = "<time>", description = "Stop after this time, such as 30s")
	private Duration time = Duration.ofDays(36_500);

	@Mixin
	private final ShownValue.Show show = new ShownValue.Show();

	@Option(names = "--color", paramLabel = "<when>", defaultValue = "auto",
			description = "When to use colors: always, never, or auto, which means on a terminal unless NO_COLOR is "
					+ "set (default: ${DEFAULT-VALUE})")
	private Ansi colors = Ansi.AUTO;

	private boolean interrupted;

	/** Whether the connection is about to be closed, which is not reported. */
	private boolean closing;

	@Override
	void validate() {
		watchedKeys();
	}

	private List<Key> watchedKeys() {
		return this.keys.stream().distinct().map((key) -> KeyCommand.key(key, this.hexadecimal)).toList();
	}

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.watchingTemplate();
		// Fails immediately if there is no connection; a watch would wait for one.
		template.get(watchedKeys().get(0), Bytes.class);
		List<KeyWatch> watches = new ArrayList<>();
		try (Stop stop = Stop.onSignals()) {
			watchedKeys().forEach((key) -> watches.add(watch(template, key, (spec) -> {
				spec.onState(this::report);
				if (this.initial) {
					spec.initial();
				}
			}, (change) -> print(change, stop))));
			stop.await(this.time);
		}
		finally {
			synchronized (this) {
				this.closing = true;
			}
			watches.forEach(KeyWatch::close);
		}
		return ExitCodes.OK;
	}

	private KeyWatch watch(StateStoreTemplate template, Key key, Consumer<WatchSpec> spec,
			KeyChangeListener<Bytes> listener) {
		return this.hexadecimal ? template.watch(key, Bytes.class, spec, listener)
				: template.watch(key.bytes().toUtf8(), Bytes.class, spec, listener);
	}

	/** Prints a change. Ends the command after the last one, or if the output fails. */
	private synchronized void print(KeyChange<Bytes> change, Stop stop) {
		if (this.left-- > 0) {
			ShownValue value = (change.value() != null) ? this.show.of(change.value()) : null;
			String time = Texts.time(change.version());
			switch (format()) {
				case TABLE -> environment().out().println(line(change, time, value));
				case RAW -> print("time operation key value", time, change.operation(), change.key(), value);
				case JSON -> printJson(change, time, value);
			}
		}
		// Checking for an error also flushes.
		if (environment().out().checkError() || this.left <= 0) {
			stop.request();
		}
	}

	private String line(KeyChange<Bytes> change, String time, @Nullable ShownValue value) {
		boolean deletion = change.operation() == Operation.DELETE;
		return paint("faint", time) + "  " + (deletion ? paint("red", "DELETE") : paint("green", "SET   ")) + "  "
				+ change.key() + ((value != null) ? "  " + Texts.onOneLine(value.toString()) : "")
				+ (change.resynchronized() ? "  " + paint("yellow", "(resynchronized)") : "");
	}

	private void printJson(KeyChange<Bytes> change, String time, @Nullable ShownValue value) {
		Map<String, @Nullable Object> fields = RecordWriter.fields("received operation key version time resynchronized",
				Texts.time(Instant.now()), change.operation(), change.key(), change.version(), time,
				change.resynchronized());
		if (value != null) {
			fields.put("format", value.format());
			fields.put("value", value);
		}
		environment().out().println(Json.object(fields));
	}

	private String paint(String color, String text) {
		return this.colors.string("@|" + color + ' ' + text + "|@");
	}

	/** Reports when changes may be missed and when they arrive again. */
	private synchronized void report(State state) {
		String text = (state == State.REFUSED)
				? "The store or the broker refused to watch a key; retrying. Check the rights of this client"
				: (state == State.INTERRUPTED && !this.interrupted)
						? "Connection lost; changes may be missed until it is restored"
						: (state == State.ACTIVE && this.interrupted) ? "Watching again" : null;
		if (text != null && !this.closing) {
			environment().err().println(paint("yellow", text));
			environment().err().flush();
		}
		this.interrupted = state == State.INTERRUPTED;
	}

}
