package io.statestore.cli;

import java.time.Instant;
import java.util.Map;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Prints changes, one per line. Thread-safe. */
final class ChangePrinter {

	private static final String[] RAW = { "time", "operation", "key", "value" };

	private static final String[] JSON = { "received", "operation", "key", "version", "time", "resynchronized" };

	private final Environment environment;

	private final OutputFormat format;

	private final ColorMode colors;

	private final ShowOption show;

	private boolean interrupted;

	private boolean closed;

	ChangePrinter(Environment environment, OutputFormat format, ColorMode colors, ShowOption show) {
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
		ShownValue value = (change.value() != null) ? this.show.of(change.value()) : null;
		if (this.format == OutputFormat.TABLE) {
			this.environment.out().println(text(change, value));
		}
		else {
			RecordWriter.print(this.environment.out(), this.format, fields(change, value));
		}
		// This also flushes.
		return !this.environment.out().checkError();
	}

	private String text(KeyChange<Bytes> change, @Nullable ShownValue value) {
		boolean deletion = change.operation() == Operation.DELETE;
		return this.colors.paint("faint", Versions.time(change.version())) + "  "
				+ (deletion ? this.colors.paint("red", "DELETE") : this.colors.paint("green", "SET   ")) + "  "
				+ change.key() + ((value != null) ? "  " + value.onOneLine() : "")
				+ (change.resynchronized() ? "  " + this.colors.paint("yellow", "(resynchronized)") : "");
	}

	private Map<String, @Nullable Object> fields(KeyChange<Bytes> change, @Nullable ShownValue value) {
		String time = Versions.time(change.version());
		if (this.format == OutputFormat.RAW) {
			return RecordWriter.fields(RAW, time, change.operation(), change.key(), value);
		}
		Map<String, @Nullable Object> fields = RecordWriter.fields(JSON, Versions.time(Instant.now()),
				change.operation(), change.key(), change.version(), time, change.resynchronized());
		if (value != null) {
			fields.put("format", value.format());
			fields.put("value", value);
		}
		return fields;
	}

	/** Ends reports about the connection, which is about to be closed. */
	synchronized void close() {
		this.closed = true;
	}

	/** Reports when changes may be missed and when they arrive again. */
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
		this.environment.err().println(this.colors.paint("yellow", text));
		this.environment.err().flush();
	}

}
