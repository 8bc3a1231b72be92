package io.statestore.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Environment of a command: variables and standard streams.
 *
 * @param variables environment variables
 * @param in standard input
 * @param out standard output, in UTF-8
 * @param err standard error
 * @param terminal whether standard output is a terminal
 */
record Environment(Map<String, String> variables, InputStream in, PrintStream out, PrintStream err, boolean terminal) {

	/** Returns the environment of this process. */
	static Environment ofProcess() {
		PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false,
				StandardCharsets.UTF_8);
		return new Environment(System.getenv(), System.in, out, System.err, System.console() != null);
	}

	/** Returns the value of a variable, {@code null} if it is not set or empty. */
	@Nullable String variable(String name) {
		String value = this.variables.get(name);
		return (value != null && !value.isEmpty()) ? value : null;
	}

}
