package io.statestore.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.client.mqtt.internal.ConnectionDiagnosis;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.InvalidOptionException;
import picocli.CommandLine.TypeConversionException;

/** Messages and exit codes for failures. */
final class Failures {

	private static final String CLIENT_CERTIFICATE = "the client certificate of --cert and --key";

	/** Next steps where they differ from those for applications. */
	private static final Map<ConnectionDiagnosis, String> NEXT_STEPS = Map.of(ConnectionDiagnosis.TLS_CLOSED,
			"Check that --port is the TLS port of the broker, usually 8883, and whether the broker requires "
					+ CLIENT_CERTIFICATE + '.',
			ConnectionDiagnosis.NODE_TLS_CLOSED,
			"Check that the nodes of the cluster run and reach each other, that --hosts names TLS ports of brokers, and "
					+ "whether the brokers require " + CLIENT_CERTIFICATE + '.',
			ConnectionDiagnosis.TLS_REFUSED,
			"Check whether the broker requires " + CLIENT_CERTIFICATE
					+ ", and which TLS versions and cipher suites it permits.",
			ConnectionDiagnosis.CERTIFICATE_NOT_TRUSTED, "Set --ca to a PEM file with the CA of the broker.",
			ConnectionDiagnosis.CLIENT_CERTIFICATE_REFUSED,
			"Set --cert and --key to a certificate that the broker trusts.", ConnectionDiagnosis.TLS_FAILED,
			"Check --ca, --cert, --key, and the TLS settings of the broker.",
			ConnectionDiagnosis.CERTIFICATE_LOGIN_REFUSED,
			"Check at the broker that it uses certificates for logins, and that the certificate of --cert names a user "
					+ "that it permits. Or set --user and --password-file.",
			ConnectionDiagnosis.CLIENT_ID_IN_USE, "Omit --client-id, so that each command has an id of its own.");

	/**
	 * Application properties and the corresponding command-line options, longest first.
	 */
	private static final String[][] OPTIONS = { { "statestore.ssl.enabled=true or statestore.ssl.bundle", "--tls" },
			{ "statestore.ssl.enabled=false", "--no-tls" }, { "statestore.username", "--user" },
			{ "statestore.password", "--password-file" }, { "statestore.service-account-token-file", "--token-file" },
			{ "statestore.client-id", "--client-id" }, { "statestore.hosts", "--hosts" },
			{ "statestore.host", "--host" }, { "statestore.port", "--port" },
			{ "maxPendingSize", "the available memory" }, { "statestore.max-pending", "the client" },
			{ "since the application started", "yet" } };

	/** Command-line options by API names. */
	private static final Map<String, String> NAMES = Map.of("host", "--host", "port", "--port", "hosts", "--hosts",
			"clientId", "--client-id", "username", "--user", "connectTimeout", "--timeout", "startTimeout", "--timeout",
			"requestTimeout", "--timeout");

	private Failures() {
	}

	/** Returns a failure's message, with command-line options. */
	static String message(Throwable failure) {
		if (failure instanceof InvalidOptionException invalid && NAMES.containsKey(invalid.option())) {
			return "The value of " + NAMES.get(invalid.option()) + " is '" + invalid.value() + "'. " + invalid.reason();
		}
		if (failure instanceof InterruptedException) {
			return "Interrupted by a signal";
		}
		if (failure instanceof IOException || failure instanceof UncheckedIOException) {
			return "Input or output failed: " + failure.getMessage();
		}
		if (failure instanceof AdministrationUnavailableException) {
			return failure.getMessage() + ". Check that the server is a broker of this project";
		}
		if (failure instanceof StateStoreRefusedException refused && refused.reason() == ErrorReason.UNKNOWN) {
			return "The server refused the request: " + failure.getMessage();
		}
		return (failure.getMessage() != null) ? withOptions(failure.getMessage()) : failure.toString();
	}

	/** Replaces application properties in a message with command-line options. */
	static String withOptions(String message) {
		String result = message;
		for (Map.Entry<ConnectionDiagnosis, String> step : NEXT_STEPS.entrySet()) {
			result = result.replace(step.getKey().nextStep(), step.getValue());
		}
		for (String[] option : OPTIONS) {
			result = result.replace(option[0], option[1]);
		}
		return result;
	}

	static int exitCode(Throwable failure) {
		if (failure instanceof CliException cli) {
			return cli.exitCode();
		}
		boolean notSent = failure instanceof StateStoreNotSentException;
		if (failure instanceof StateStoreRefusedException || notSent
				&& String.valueOf(failure.getMessage()).contains(ConnectionDiagnosis.REQUEST_REFUSED.cause())) {
			return ExitCodes.REFUSED;
		}
		if (notSent || failure instanceof AdministrationUnavailableException) {
			return ExitCodes.NO_CONNECTION;
		}
		if (failure instanceof StateStoreOutcomeUnknownException) {
			return ExitCodes.OUTCOME_UNKNOWN;
		}
		if (failure instanceof InterruptedException) {
			return ExitCodes.INTERRUPTED;
		}
		return (failure instanceof IllegalArgumentException || failure instanceof TypeConversionException
				|| failure instanceof StateStoreInvalidRequestException) ? ExitCodes.USAGE : ExitCodes.FAILED;
	}

}
