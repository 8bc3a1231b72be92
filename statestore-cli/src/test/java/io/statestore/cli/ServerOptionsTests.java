package io.statestore.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ServerOptionsTests {

	@TempDir
	private Path directory;

	private final Cli cli = new Cli();

	@Test
	void connectsToLocalhostByDefault() {
		ConnectionOptions options = options();
		assertThat(options.url()).isEqualTo("mqtt://localhost:1883");
		assertThat(options.clientId()).startsWith("cli-");
		assertThat(options("--tls").url()).isEqualTo("mqtts://localhost:8883");
	}

	@Test
	void readsServerFromOptions() {
		assertThat(options("--host", "broker.example", "--port", "1884").url()).isEqualTo("mqtt://broker.example:1884");
		assertThat(options("--url", "mqtts://broker.example").url()).isEqualTo("mqtts://broker.example:8883");
		assertThat(options("--url", "mqtt://[::1]:1885").url()).isEqualTo("mqtt://[::1]:1885");
	}

	@Test
	void readsServerFromEnvironmentVariables() {
		this.cli.with("STATESTORE_HOST", "broker.example").with("STATESTORE_PORT", "1884");
		assertThat(options().url()).isEqualTo("mqtt://broker.example:1884");
		assertThat(options("--port", "1885").url()).isEqualTo("mqtt://broker.example:1885");
		this.cli.with("STATESTORE_URL", "mqtts://other.example:1");
		assertThat(options().url()).isEqualTo("mqtts://other.example:1");
	}

	@Test
	void readsClusterHosts() {
		assertThat(options("--hosts", "a, b:1884,[::1]").url()).isEqualTo("mqtt://a:1883,b:1884,[::1]:1883");
		assertThat(options("--hosts", "a,b", "--tls").url()).isEqualTo("mqtts://a:8883,b:8883");
		this.cli.with("STATESTORE_HOSTS", "c,d:1");
		assertThat(options().url()).isEqualTo("mqtt://c:1883,d:1");
		assertThat(options("--hosts", "a").url()).isEqualTo("mqtt://a:1883");
		assertThat(options("--host", "a", "--port", "1").url()).isEqualTo("mqtt://a:1");
		assertThat(options("--url", "mqtt://a").url()).isEqualTo("mqtt://a:1883");
	}

	@Test
	void refusesHostsTogetherWithOtherServer() {
		for (String other : new String[] { "--url=mqtt://b", "--host=b", "--port=1" }) {
			assertRefused("--hosts contains all hosts and ports; omit --url", "--hosts", "a,b", other);
		}
		this.cli.with("STATESTORE_HOSTS", "a,b");
		assertRefused("--port does not apply to the hosts of STATESTORE_HOSTS", "--port", "1");
		this.cli.with("STATESTORE_PORT", "1");
		assertRefused("STATESTORE_HOSTS and STATESTORE_PORT");
		assertThat(options("--hosts", "a").url()).isEqualTo("mqtt://a:1883");
	}

	@Test
	void doesNotSendCredentialsToOtherHosts() {
		this.cli.with("STATESTORE_HOSTS", "a,b").with("STATESTORE_USERNAME", "alice").with("AIO_BROKER_HOSTNAME", "c");
		assertThat(options().username()).isEqualTo("alice");
		assertThat(options().url()).isEqualTo("mqtt://a:1883,b:1883");
		assertThat(options("--hosts", "d").username()).isNull();
	}

	@Test
	void readsLogin() throws Exception {
		Path password = Files.writeString(this.directory.resolve("password"), "from file\nsecond line");
		this.cli.with("STATESTORE_USERNAME", "alice").with("STATESTORE_PASSWORD", "from variable");
		assertThat(options().username()).isEqualTo("alice");
		assertThat(password(options())).isEqualTo("from variable");
		ConnectionOptions options = options("--user", "bob", "--password-file", password.toString());
		assertThat(options.username()).isEqualTo("bob");
		assertThat(password(options)).isEqualTo("from file");
	}

	@Test
	void readsDeploymentVariables() throws Exception {
		Path password = Files.writeString(this.directory.resolve("password"), "secret");
		Path token = Files.writeString(this.directory.resolve("token"), "token");
		this.cli.with("AIO_BROKER_HOSTNAME", "aio-broker")
			.with("AIO_BROKER_TCP_PORT", "18883")
			.with("AIO_MQTT_CLIENT_ID", "press-1")
			.with("AIO_MQTT_USERNAME", "alice")
			.with("AIO_MQTT_PASSWORD_FILE", password.toString())
			.with("AIO_SAT_FILE", token.toString());
		ConnectionOptions options = options();
		assertThat(options.url()).isEqualTo("mqtts://aio-broker:18883");
		assertThat(options.clientId()).matches("cli-press-1-[0-9a-f]{8}");
		assertThat(options.username()).isEqualTo("alice");
		assertThat(password(options)).isEqualTo("secret");
		assertThat(options.authentication()).isNotNull();
		assertThat(options.authentication().data().get()).asString().isEqualTo("token");
		this.cli.with("AIO_MQTT_USE_TLS", "false");
		assertThat(options().url()).isEqualTo("mqtt://aio-broker:18883");
	}

	@Test
	void doesNotSendDeploymentCredentialsElsewhere() {
		this.cli.with("AIO_BROKER_HOSTNAME", "aio-broker")
			.with("AIO_MQTT_USERNAME", "alice")
			.with("AIO_SAT_FILE", "/missing");
		ConnectionOptions options = options("--host", "broker.example");
		assertThat(options.url()).isEqualTo("mqtt://broker.example:1883");
		assertThat(options.username()).isNull();
		assertThat(options.authentication()).isNull();
		this.cli.with("STATESTORE_HOST", "other.example");
		assertThat(options().url()).isEqualTo("mqtt://other.example:1883");
		assertThat(options().authentication()).isNull();
	}

	@Test
	void doesNotSendEnvironmentCredentialsElsewhere() {
		this.cli.with("STATESTORE_URL", "mqtts://broker.example")
			.with("STATESTORE_USERNAME", "alice")
			.with("STATESTORE_PASSWORD", "secret")
			.with("STATESTORE_TOKEN_FILE", existingFile());
		assertThat(password(options())).isEqualTo("secret");
		assertThat(options().authentication()).isNotNull();
		for (String[] other : new String[][] { { "--host", "broker.example" }, { "--url", "mqtt://other.example" } }) {
			assertThat(options(other).username()).isNull();
			assertThat(options(other).password()).isNull();
			assertThat(options(other).authentication()).isNull();
		}
		assertThat(options("--host", "other.example", "--user", "bob").username()).isEqualTo("bob");
		assertThat(options("--port", "1").url()).isEqualTo("mqtts://broker.example:1");
		assertThat(password(options("--port", "1"))).isEqualTo("secret");
	}

	@Test
	void doesNotSendOwnCredentialsForDeploymentElsewhere() {
		this.cli.with("AIO_BROKER_HOSTNAME", "aio-broker")
			.with("AIO_MQTT_USE_TLS", "false")
			.with("STATESTORE_USERNAME", "alice")
			.with("STATESTORE_PASSWORD", "secret");
		assertThat(password(options())).isEqualTo("secret");
		assertThat(options("--host", "broker.example").username()).isNull();
		assertThat(options("--host", "broker.example").password()).isNull();
	}

	@Test
	void readsTokenAtEachAuthentication() throws Exception {
		Path token = Files.writeString(this.directory.resolve("token"), "first");
		ConnectionOptions options = options("--token-file", token.toString());
		assertThat(options.authentication()).isNotNull();
		assertThat(options.authentication().data().get()).asString().isEqualTo("first");
		Files.writeString(token, "second");
		assertThat(options.authentication().data().get()).asString().isEqualTo("second");
	}

	@Test
	void putsAuthorIntoClientId() {
		assertThat(options("--as", "alice").clientId()).matches("cli-alice-[0-9a-f]{8}");
		assertThat(options("--as", "alice").clientId()).isNotEqualTo(options("--as", "alice").clientId());
		assertThat(options("--client-id", "fixed").clientId()).isEqualTo("fixed");
		this.cli.with("STATESTORE_AS", "nightly.sh");
		assertThat(Author.in(options().clientId())).contains(new Author("nightly.sh"));
	}

	@Test
	void refusesInvalidOptions() {
		assertRefused("--url", "--url", "localhost:1883");
		assertRefused("--url", "--url", "mqtt://user:secret@host");
		assertRefused("--host and --port", "--url", "mqtt://a", "--host", "b");
		assertRefused("--cert and --key", "--cert", "a");
		assertRefused("--tls", "--ca", "a", "--no-tls");
		assertRefused("--user", "--password-file", existingFile());
		assertRefused("--password-file", "--user", "a", "--password-file", "/missing");
		assertRefused("--token-file", "--token-file", "/missing");
		assertRefused("--ca", "--ca", "/missing");
		assertRefused("BEGIN CERTIFICATE", "--ca", existingFile());
		assertRefused("--as", "--as", "not a name");
		this.cli.with("STATESTORE_PORT", "none");
		assertRefused("STATESTORE_PORT");
		this.cli.with("STATESTORE_URL", "none");
		assertRefused("STATESTORE_URL");
	}

	private String existingFile() {
		return Path.of("pom.xml").toString();
	}

	private void assertRefused(String expected, String... arguments) {
		assertThatExceptionOfType(CliException.class).isThrownBy(() -> options(arguments))
			.withMessageContaining(expected)
			.satisfies((failure) -> assertThat(failure.exitCode()).isEqualTo(ExitCodes.USAGE))
			.satisfies((failure) -> assertThat(failure.getMessage()).doesNotContain("secret"));
	}

	private static @Nullable String password(ConnectionOptions options) {
		Supplier<String> password = options.password();
		return (password != null) ? password.get() : null;
	}

	private ConnectionOptions options(String... arguments) {
		ServerOptions options = new ServerOptions();
		new CommandLine(CommandLine.Model.CommandSpec.create()
			.addMixin("server", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
			.registerConverter(Duration.class, Converters::duration)
			.parseArgs(arguments);
		return options.toConnectionOptions(this.cli.environment());
	}

}
