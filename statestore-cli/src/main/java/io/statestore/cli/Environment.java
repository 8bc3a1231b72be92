package io.statestore.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command's environment: variables and standard streams.
 *
 * @param variables environment variables
 * @param in standard input
 * @param out standard output, in UTF-8
 * @param err standard error
 * @param terminal whether a user can answer questions
 */
record Environment(Map<String, String> variables, InputStream in, PrintStream out, PrintStream err, boolean terminal) {

	private static final String MIXIN = "environment";

	/** Adds this environment to a program. */
	void addTo(CommandSpec program) {
		program.addMixin(MIXIN, CommandSpec.wrapWithoutInspection(this));
	}

	/** Returns the environment of a command's program. */
	static Environment of(CommandSpec command) {
		return (Environment) Objects.requireNonNull(command.root().mixins().get(MIXIN)).userObject();
	}

	/** Returns the environment of this process. */
	static Environment ofProcess() {
		PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false,
				StandardCharsets.UTF_8);
		// Without this property, newer Java versions provide a console even if there is
		// no terminal.
		System.setProperty("jdk.console", "java.base");
		return new Environment(System.getenv(), System.in, out, System.err, System.console() != null);
	}

	/** Returns a variable's value; {@code null} if unset or empty. */
	@Nullable String variable(String name) {
		String value = this.variables.get(name);
		return (value != null && !value.isEmpty()) ? value : null;
	}

}
