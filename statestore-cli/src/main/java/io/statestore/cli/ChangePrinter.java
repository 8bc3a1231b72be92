package io.statestore.cli;

import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.statestore.cli.Colors.Color;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Printer of changes, each in a line. Thread-safe. */
final class ChangePrinter {

	private final Environment environment;

	private final OutputFormat format;

	private final Colors colors;

	private final @Nullable ValueFormat show;

	private boolean interrupted;

	private boolean closed;

	ChangePrinter(Environment environment, OutputFormat format, Colors colors, @Nullable ValueFormat show) {
		this.environment = environment;
		this.format = format;
		this.colors = colors;
		this.show = show;
	}

	/**
	 * Prints a change.
	 * @return whether the output accepted it
	 */
	synchronized boolean print(KeyChange<Bytes> change) {
		ShownValue value = (change.value() != null) ? ShownValue.of(change.value(), this.show) : null;
		String received = Versions.time(Instant.now());
		String changed = Versions.time(change.version());
		String line = switch (this.format) {
			case JSON -> json(change, value, received, changed);
			case RAW -> RecordWriter.raw(Arrays.asList(changed, change.operation(), change.key(),
					(value != null) ? value.onOneLine() : null));
			case TABLE -> text(change, value, changed);
		};
		this.environment.out().println(line);
		// Flushes, too.
		return !this.environment.out().checkError();
	}

	private String text(KeyChange<Bytes> change, @Nullable ShownValue value, String changed) {
		StringBuilder line = new StringBuilder(this.colors.paint(Color.GRAY, changed));
		boolean deletion = change.operation() == Operation.DELETE;
		line.append("  ")
			.append(this.colors.paint(deletion ? Color.RED : Color.GREEN, deletion ? "DELETE" : "SET   "))
			.append("  ")
			.append(change.key());
		if (value != null) {
			line.append("  ").append(value.onOneLine());
		}
		if (change.resynchronized()) {
			line.append("  ").append(this.colors.paint(Color.YELLOW, "(resynchronized)"));
		}
		return line.toString();
	}

	private static String json(KeyChange<Bytes> change, @Nullable ShownValue value, String received, String changed) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put("received", received);
		fields.put("operation", change.operation());
		fields.put("key", change.key());
		fields.put("version", change.version());
		fields.put("time", changed);
		fields.put("resynchronized", change.resynchronized());
		if (value != null) {
			fields.put("format", value.format().name().toLowerCase(Locale.ROOT));
			fields.put("value", value);
		}
		return Json.object(fields);
	}

	/** Ends the reports about the connection, which is about to be closed. */
	synchronized void close() {
		this.closed = true;
	}

	/** Reports that changes may be missed, and when they arrive again. */
	synchronized void state(State state) {
		if (this.closed) {
			return;
		}
		if (state == State.REFUSED) {
			message("The store or the broker refused to watch a key; retrying. Check the rights of this client");
		}
		else if (state == State.INTERRUPTED && !this.interrupted) {
			message("Connection lost; changes may be missed until it is restored");
		}
		else if (state == State.ACTIVE && this.interrupted) {
			message("Watching again");
		}
		this.interrupted = state == State.INTERRUPTED;
	}

	private void message(String text) {
		this.environment.err().println(this.colors.paint(Color.YELLOW, text));
		this.environment.err().flush();
	}

}
