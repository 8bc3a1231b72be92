package io.statestore.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The command line in this process, with separate variables and standard input. */
final class Cli {

	private final Map<String, String> variables = new HashMap<>();

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private InputStream input = InputStream.nullInputStream();

	private boolean terminal;

	private Runnable onFirstMessage = () -> {
	};

	/** Returns a command line whose commands use a server by default. */
	static Cli on(int port) {
		return new Cli().with("STATESTORE_URL", "mqtt://127.0.0.1:" + port);
	}

	Cli with(String variable, String value) {
		this.variables.put(variable, value);
		return this;
	}

	Cli input(byte[] input) {
		return input(new ByteArrayInputStream(input), false);
	}

	/** Sets standard input and whether it is a terminal. */
	Cli input(InputStream input, boolean terminal) {
		this.input = input;
		this.terminal = terminal;
		return this;
	}

	/** Sets what a user types at a terminal. */
	Cli typing(String line) {
		return input(new ByteArrayInputStream((line + '\n').getBytes(StandardCharsets.UTF_8)), true);
	}

	/** Sets an action that runs before the first message is written. */
	Cli onFirstMessage(Runnable action) {
		this.onFirstMessage = action;
		return this;
	}

	/** Returns what the commands have printed so far. */
	String printed() {
		return this.out.toString(StandardCharsets.UTF_8);
	}

	/** Returns the environment of a command. */
	Environment environment() {
		return environment(new ByteArrayOutputStream());
	}

	private Environment environment(ByteArrayOutputStream err) {
		return new Environment(this.variables, this.input, new PrintStream(this.out, false, StandardCharsets.UTF_8),
				new PrintStream(err, false, StandardCharsets.UTF_8), this.terminal);
	}

	/** Runs a command. May be called only once. */
	Result run(String... arguments) {
		ByteArrayOutputStream err = new ByteArrayOutputStream() {

			@Override
			public synchronized void write(byte[] bytes, int offset, int length) {
				if (this.count == 0) {
					Cli.this.onFirstMessage.run();
				}
				super.write(bytes, offset, length);
			}

		};
		int exitCode = StateStoreCli.execute(environment(err), arguments);
		return new Result(exitCode, this.out.toByteArray(), err.toString(StandardCharsets.UTF_8));
	}

	/** Result of a command. */
	record Result(int exitCode, byte[] bytes, String err) {

		String out() {
			return new String(this.bytes, StandardCharsets.UTF_8);
		}

	}

}
