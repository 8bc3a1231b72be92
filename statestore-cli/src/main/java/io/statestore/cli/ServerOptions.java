package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import io.statestore.client.mqtt.DisconnectedBehavior;
import io.statestore.mqtt.PemContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for connecting to a server. Environment variables provide defaults. */
final class ServerOptions {

	/** Authentication method for service account tokens. */
	private static final String SERVICE_ACCOUNT_TOKEN = "K8S-SAT";

	private static final Duration TOKEN_CHECK_INTERVAL = Duration.ofSeconds(5);

	/**
	 * Address of a broker, without a user. The host may be an IPv6 address in brackets.
	 */
	private static final Pattern URL = Pattern
		.compile("(?i)(?<scheme>mqtts?)://(?<host>\\[[^\\]/@]+]|[^\\[\\]:/?#@\\s]+)(:(?<port>\\d{1,5}))?/?");

	@Option(names = "--url", paramLabel = "<url>",
			description = "Broker address: mqtt://host:port, or mqtts://host:port for TLS")
	private @Nullable String url;

	@Option(names = { "-H", "--host" }, paramLabel = "<host>",
			description = "Broker host or address (default: localhost)")
	private @Nullable String host;

	@Option(names = { "-p", "--port" }, paramLabel = "<port>",
			description = "Broker port (default: 1883, or 8883 with TLS)")
	private @Nullable Integer port;

	@Option(names = "--hosts", paramLabel = "<hosts>",
			description = "Hosts of a cluster: host:port,host:port,… The command uses one of them at a time. Replaces "
					+ "--host and --port")
	private @Nullable String hosts;

	@Option(names = "--tls", negatable = true,
			description = "Encrypt the connection (default: only if --ca or --cert is set)")
	private @Nullable Boolean tls;

	@Option(names = "--ca", paramLabel = "<file>",
			description = "PEM file with the broker's certificate authority (default: the authorities that Java "
					+ "trusts)")
	private @Nullable Path ca;

	@Option(names = "--cert", paramLabel = "<file>", description = "PEM file with the client certificate and its chain")
	private @Nullable Path certificate;

	@Option(names = "--key", paramLabel = "<file>",
			description = "PEM file with the private key of --cert, in PKCS #8 format")
	private @Nullable Path key;

	@Option(names = "--key-password-file", paramLabel = "<file>",
			description = "File with the password of --key in its first line")
	private @Nullable Path keyPasswordFile;

	@Option(names = { "-u", "--user" }, paramLabel = "<name>", description = "User name to log in to the broker with")
	private @Nullable String user;

	@Option(names = "--password-file", paramLabel = "<file>",
			description = "File with the password of --user in its first line (default: the STATESTORE_PASSWORD "
					+ "environment variable contains the password)")
	private @Nullable Path passwordFile;

	@Option(names = "--token-file", paramLabel = "<file>", description = "File with a service account token")
	private @Nullable Path tokenFile;

	@Option(names = "--as", paramLabel = "<name>",
			description = "Name of the person or script, which appears in the history if the client does not log in "
					+ "(default: this machine's user)")
	private @Nullable String author;

	@Option(names = "--client-id", paramLabel = "<id>",
			description = "MQTT client ID, for brokers that authorize client IDs (default: --as with a random suffix)")
	private @Nullable String clientId;

	@Option(names = "--timeout", paramLabel = "<time>", defaultValue = "10s",
			description = "Timeout of the connection and of each request (default: ${DEFAULT-VALUE})")
	private Duration timeout = Duration.ofSeconds(10);

	@Option(names = { "-v", "--verbose" }, description = "Print a debug log")
	private boolean verbose;

	/** Returns a session that connects with its first call. */
	Session connect(Environment environment) {
		System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", this.verbose ? "debug" : "off");
		return new Session(toConnectionOptions(environment));
	}

	/**
	 * Returns the client's options.
	 * @throws CliException if an option or variable is invalid
	 * @throws io.statestore.protocol.InvalidOptionException if an option is out of range
	 */
	ConnectionOptions toConnectionOptions(Environment environment) {
		boolean parts = this.host != null || this.port != null;
		CliException.require(this.url == null || !parts, "--url contains host and port; omit --host and --port");
		CliException.require(this.hosts == null || this.url == null && !parts,
				"--hosts contains all hosts and ports; omit --url, --host, and --port");
		Settings settings = new Settings(environment, this.url != null || this.host != null || this.hosts != null);
		ConnectionOptions.Builder builder = ConnectionOptions.builder()
			.clientId((this.clientId != null) ? this.clientId : author(settings).newClientId())
			.connectTimeout(this.timeout)
			.startTimeout(this.timeout)
			.requestTimeout(this.timeout)
			.disconnectedBehavior(DisconnectedBehavior.FAIL);
		Boolean tls = server(settings, builder);
		login(settings, builder);
		Path token = settings.path(this.tokenFile, "STATESTORE_TOKEN_FILE", "AIO_SAT_FILE");
		if (token != null) {
			// Fails early if the token is unreadable. Each connection reads the file
			// again, because tokens are replaced before they expire, even during 'watch'
			// and 'lock'.
			Settings.token(token);
			builder.authentication(new EnhancedAuthentication(SERVICE_ACCOUNT_TOKEN, () -> Settings.token(token),
					TOKEN_CHECK_INTERVAL));
		}
		tls(settings, (this.tls != null) ? this.tls : tls, builder);
		return builder.build();
	}

	/**
	 * Sets the server.
	 * @return whether the server's address requires TLS; {@code null} if the address does
	 * not say
	 */
	private @Nullable Boolean server(Settings settings, ConnectionOptions.Builder builder) {
		boolean given = this.url != null || this.host != null;
		String hosts = (this.hosts != null || given) ? this.hosts : settings.hosts(this.port != null);
		if (hosts != null) {
			builder.hosts(List.of(hosts.split(",", -1)));
			return null;
		}
		String url = (this.host != null) ? null : settings.text(this.url, "STATESTORE_URL");
		Matcher address = URL.matcher((url != null) ? url : "");
		CliException.require(url == null || address.matches(),
				"The value of " + ((this.url != null) ? "--url" : "STATESTORE_URL")
						+ " is not the address of a broker; use mqtt://host:port or mqtts://host:port. "
						+ "Set a user name with --user");
		String host = (url != null) ? address.group("host")
				: settings.text(this.host, "STATESTORE_HOST", "AIO_BROKER_HOSTNAME");
		builder.host((host != null) ? host : "localhost");
		String digits = (url != null) ? address.group("port") : null;
		Integer port = (url == null) ? settings.port(this.port)
				: (this.port == null && digits != null) ? Integer.valueOf(digits) : this.port;
		if (port != null) {
			builder.port(port);
		}
		return (url != null) ? address.group("scheme").equalsIgnoreCase("mqtts") : null;
	}

	private Author author(Settings settings) {
		String name = settings.text(this.author, "STATESTORE_AS");
		String id = settings.text(null, "AIO_MQTT_CLIENT_ID");
		return (name != null) ? new Author(name)
				: Author.ofAny((id != null) ? id : System.getProperty("user.name", "unknown"));
	}

	private void login(Settings settings, ConnectionOptions.Builder builder) {
		String user = settings.text(this.user, "STATESTORE_USERNAME", "AIO_MQTT_USERNAME");
		String password = settings.text(null, "STATESTORE_PASSWORD");
		Path file = (password == null) ? settings.path(this.passwordFile, "AIO_MQTT_PASSWORD_FILE") : this.passwordFile;
		if (file != null) {
			password = Settings.firstLine("--password-file", file);
			builder.passwordFrom(() -> Settings.firstLine("--password-file", file));
		}
		else {
			builder.password(password);
		}
		CliException.require(password == null || user != null,
				"--password-file or STATESTORE_PASSWORD is set without a user name; set --user or STATESTORE_USERNAME");
		builder.username(user);
	}

	private void tls(Settings settings, @Nullable Boolean required, ConnectionOptions.Builder builder) {
		Path ca = settings.path(this.ca, "STATESTORE_CA", "AIO_TLS_CA_FILE");
		Path certificate = settings.path(this.certificate, "STATESTORE_CERT", "AIO_TLS_CERT_FILE");
		Path key = settings.path(this.key, "STATESTORE_KEY", "AIO_TLS_KEY_FILE");
		CliException.require((certificate != null) == (key != null),
				"--cert and --key require each other; set both or neither");
		boolean wanted = (required != null) ? required : ca != null || certificate != null || settings.tls();
		CliException.require(wanted || this.ca == null && this.certificate == null,
				"--ca and --cert require TLS; use --tls or mqtts://, or omit them");
		if (!wanted) {
			return;
		}
		PemContext context = new PemContext();
		try {
			if (certificate != null && key != null) {
				Path password = settings.path(this.keyPasswordFile, "STATESTORE_KEY_PASSWORD_FILE",
						"AIO_TLS_KEY_PASSWORD_FILE");
				context.identity(certificate, Settings.read("--cert", certificate), key, Settings.read("--key", key),
						(password != null) ? Settings.read("--key-password-file", password) : null);
			}
			if (ca != null) {
				context.trust(ca, Settings.read("--ca", ca));
			}
			builder.tls(new Tls(context.create(), true, context.keys()));
		}
		catch (GeneralSecurityException | IOException ex) {
			throw CliException
				.usage("The files of --ca, --cert, --key, and --key-password-file are not usable: " + ex.getMessage());
		}
	}

}
