package io.statestore.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Values of options that are not set, from environment variables. The variables of a
 * deployment of Azure IoT Operations apply only if no other server is set. Otherwise its
 * password or token could be sent to another server. For the same reason, the credentials
 * of other variables do not apply if an option replaces the server of a variable.
 */
final class Settings {

	private static final String DEPLOYMENT = "AIO_BROKER_HOSTNAME";

	private final Environment environment;

	/** Whether the variables of a deployment apply. */
	private final boolean deployed;

	/** Whether the variables with credentials belong to the server in use. */
	private final boolean credentials;

	/**
	 * Creates settings.
	 * @param environment the variables
	 * @param serverGiven whether an option sets the server
	 */
	Settings(Environment environment, boolean serverGiven) {
		this.environment = environment;
		boolean serverSet = environment.variable("STATESTORE_URL") != null
				|| environment.variable("STATESTORE_HOST") != null || environment.variable("STATESTORE_HOSTS") != null;
		this.deployed = !serverGiven && !serverSet && environment.variable(DEPLOYMENT) != null;
		this.credentials = !serverGiven || !(serverSet || environment.variable(DEPLOYMENT) != null);
	}

	/**
	 * Returns the value of an option.
	 * @param option the value on the command line, {@code null} if not set
	 * @param variable variable that provides its default, {@code null} for none
	 * @param deployment variable of a deployment that applies if neither is set,
	 * {@code null} for none
	 */
	@Nullable String text(@Nullable String option, @Nullable String variable, @Nullable String deployment) {
		String value = option;
		if (value == null && variable != null) {
			value = this.environment.variable(variable);
		}
		if (value == null && deployment != null && this.deployed) {
			value = this.environment.variable(deployment);
		}
		return value;
	}

	/** Returns a user name or password, like {@link #text}. */
	@Nullable String credential(@Nullable String option, @Nullable String variable, @Nullable String deployment) {
		return text(option, this.credentials ? variable : null, deployment);
	}

	/** Returns the path of a file with credentials, like {@link #text}. */
	@Nullable Path credentialFile(@Nullable Path option, @Nullable String variable, @Nullable String deployment) {
		return path(option, this.credentials ? variable : null, deployment);
	}

	/** Returns the path of a file, like {@link #text}. */
	@Nullable Path path(@Nullable Path option, @Nullable String variable, @Nullable String deployment) {
		String value = text((option != null) ? option.toString() : null, variable, deployment);
		return (value != null) ? Path.of(value) : null;
	}

	/** Returns the port that a variable sets, {@code null} for none. */
	@Nullable Integer port() {
		String variable = (this.environment.variable("STATESTORE_PORT") != null) ? "STATESTORE_PORT"
				: "AIO_BROKER_TCP_PORT";
		String value = text(null, "STATESTORE_PORT", "AIO_BROKER_TCP_PORT");
		try {
			return (value != null) ? Integer.valueOf(value) : null;
		}
		catch (NumberFormatException ex) {
			throw CliException
				.usage("The environment variable " + variable + " is '" + value + "'; set it to a port, 1 to 65535");
		}
	}

	/**
	 * Returns the hosts of a cluster that a variable sets, empty for none.
	 * @param portGiven whether an option sets the port
	 */
	List<String> hosts(boolean portGiven) {
		String hosts = this.environment.variable("STATESTORE_HOSTS");
		if (hosts == null) {
			return List.of();
		}
		for (String other : List.of("STATESTORE_URL", "STATESTORE_HOST", "STATESTORE_PORT")) {
			if (this.environment.variable(other) != null) {
				throw CliException.usage(
						"The environment variables STATESTORE_HOSTS and " + other + " are both set; unset one of them");
			}
		}
		if (portGiven) {
			throw CliException
				.usage("--port does not apply to the hosts of STATESTORE_HOSTS; set --hosts, or also --host");
		}
		return hosts(hosts);
	}

	/** Returns the hosts in a list, separated by commas. */
	static List<String> hosts(String list) {
		return List.of(list.split(",", -1));
	}

	/** Returns whether the deployment requires TLS. */
	boolean tls() {
		return this.deployed && !"false".equalsIgnoreCase(this.environment.variable("AIO_MQTT_USE_TLS"));
	}

	/** Reads the first line of a file. */
	static String firstLine(String option, Path file) {
		return new String(read(option, file), StandardCharsets.UTF_8).lines().findFirst().orElse("");
	}

	/** Reads a token, without white space around it. */
	static byte[] token(String option, Path file) {
		String token = new String(read(option, file), StandardCharsets.ISO_8859_1).strip();
		if (token.isEmpty()) {
			throw CliException.usage("The file of " + option + " '" + file + "' is empty; write the token to it");
		}
		return token.getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Reads a file.
	 * @param option option that names it, for the message
	 * @param file the file
	 * @throws CliException if it cannot be read
	 */
	static byte[] read(String option, Path file) {
		try {
			return Files.readAllBytes(file);
		}
		catch (NoSuchFileException ex) {
			throw CliException.usage("Cannot read the file of " + option + " '" + file + "': the file does not exist");
		}
		catch (AccessDeniedException ex) {
			throw CliException
				.usage("Cannot read the file of " + option + " '" + file + "': this user has no permission to read it");
		}
		catch (IOException ex) {
			throw CliException.usage("Cannot read the file of " + option + " '" + file + "': " + ex.getMessage());
		}
	}

}
