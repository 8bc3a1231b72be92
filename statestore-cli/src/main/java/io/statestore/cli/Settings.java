package io.statestore.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Provides values for unset options from environment variables. The variables of an Azure
 * IoT Operations deployment, which begin with AIO_, apply only if no other server is set.
 * Otherwise, the deployment's password or token could be sent to another server. For the
 * same reason, credentials in variables do not apply if an option overrides the server in
 * a variable.
 */
final class Settings {

	private static final String DEPLOYMENT = "AIO_BROKER_HOSTNAME";

	private static final Set<String> CREDENTIALS = Set.of("STATESTORE_USERNAME", "STATESTORE_PASSWORD",
			"STATESTORE_TOKEN_FILE");

	private final Environment environment;

	/** Whether a deployment's variables apply. */
	private final boolean deployed;

	/** Whether the variables with credentials belong to the server in use. */
	private final boolean credentials;

	/**
	 * Creates settings.
	 * @param environment contains the variables
	 * @param serverGiven whether an option sets the server
	 */
	Settings(Environment environment, boolean serverGiven) {
		this.environment = environment;
		boolean serverSet = environment.variable("STATESTORE_URL") != null
				|| environment.variable("STATESTORE_HOST") != null || environment.variable("STATESTORE_HOSTS") != null;
		boolean deployment = environment.variable(DEPLOYMENT) != null;
		this.deployed = !serverGiven && !serverSet && deployment;
		this.credentials = !serverGiven || !(serverSet || deployment);
	}

	/**
	 * Returns the value of an option.
	 * @param option value on the command line; {@code null} if unset
	 * @param variables variables that provide the default; the first set variable wins
	 */
	@Nullable String text(@Nullable Object option, String... variables) {
		if (option != null) {
			return option.toString();
		}
		for (String name : variables) {
			boolean applies = name.startsWith("AIO_") ? this.deployed : this.credentials || !CREDENTIALS.contains(name);
			if (applies && this.environment.variable(name) != null) {
				return this.environment.variable(name);
			}
		}
		return null;
	}

	/** Returns the path of a file, like {@link #text}. */
	@Nullable Path path(@Nullable Path option, String... variables) {
		String value = text(option, variables);
		return (value != null) ? Path.of(value) : null;
	}

	/** Returns the port, like {@link #text}. */
	@Nullable Integer port(@Nullable Integer option) {
		String value = text(option, "STATESTORE_PORT", "AIO_BROKER_TCP_PORT");
		CliException.require(option != null || value == null || value.matches("\\d{1,5}"),
				"The environment variable "
						+ ((text(null, "STATESTORE_PORT") != null) ? "STATESTORE_PORT" : "AIO_BROKER_TCP_PORT")
						+ " is '" + value + "'; set it to a port, 1 to 65535");
		return (value != null) ? Integer.valueOf(value) : null;
	}

	/**
	 * Returns the cluster's hosts from a variable; {@code null} if unset.
	 * @param portGiven whether an option sets the port
	 */
	@Nullable String hosts(boolean portGiven) {
		String hosts = text(null, "STATESTORE_HOSTS");
		for (String other : List.of("STATESTORE_URL", "STATESTORE_HOST", "STATESTORE_PORT")) {
			CliException.require(hosts == null || text(null, other) == null,
					"The environment variables STATESTORE_HOSTS and " + other + " are both set; unset one of them");
		}
		CliException.require(hosts == null || !portGiven,
				"--port does not apply to the hosts of STATESTORE_HOSTS; set --hosts, or also --host");
		return hosts;
	}

	/** Returns whether the deployment requires TLS. */
	boolean tls() {
		return this.deployed && !"false".equalsIgnoreCase(text(null, "AIO_MQTT_USE_TLS"));
	}

	/** Reads the first line of a file. */
	static String firstLine(String option, Path file) {
		return new String(read(option, file), StandardCharsets.UTF_8).lines().findFirst().orElse("");
	}

	/** Reads a token without surrounding whitespace. */
	static byte[] token(Path file) {
		String token = new String(read("--token-file", file), StandardCharsets.ISO_8859_1).strip();
		CliException.require(!token.isEmpty(),
				"The file of --token-file '" + file + "' is empty; write the token to it");
		return token.getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Reads a file.
	 * @param option option that names the file, for the error message
	 * @param file file to read entirely
	 * @throws CliException if the file cannot be read
	 */
	static byte[] read(String option, Path file) {
		try {
			return Files.readAllBytes(file);
		}
		catch (IOException ex) {
			String reason = (ex instanceof NoSuchFileException) ? "the file does not exist"
					: (ex instanceof AccessDeniedException) ? "this user has no permission to read it"
							: String.valueOf(ex.getMessage());
			throw CliException.usage("Cannot read the file of " + option + " '" + file + "': " + reason);
		}
	}

}
