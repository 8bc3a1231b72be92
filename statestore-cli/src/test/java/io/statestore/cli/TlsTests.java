package io.statestore.cli;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.cli.Cli.Result;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The command line and a broker that requires TLS and client certificates. */
@Timeout(60)
@RequiresProgram({ "mosquitto", "openssl" })
class TlsTests {

	private static final char[] PASSWORD = "changeit".toCharArray();

	@TempDir
	private static Path directory;

	private static Mosquitto mosquitto;

	private static StateStoreGateway gateway;

	@BeforeAll
	static void start() throws Exception {
		KeyStore keys = keys();
		writePem("cert.pem", "CERTIFICATE", keys.getCertificate("local").getEncoded());
		writePem("key.pem", "PRIVATE KEY", keys.getKey("local", PASSWORD).getEncoded());
		Files.writeString(directory.resolve("password"), new String(PASSWORD));
		mosquitto = Mosquitto.start("allow_anonymous true", "cafile " + file("cert.pem"),
				"certfile " + file("cert.pem"), "keyfile " + file("key.pem"), "require_certificate true");
		gateway = StateStoreGateway.builder().host("localhost").port(mosquitto.port()).tls(context(keys)).start();
	}

	private static KeyStore keys() throws Exception {
		Path store = directory.resolve("store.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "local", "-keyalg", "EC", "-dname", "CN=local", "-ext",
				"SAN=dns:localhost,ip:127.0.0.1", "-ext", "bc:c=ca:true", "-validity", "2", "-storetype", "PKCS12",
				"-keystore", store.toString(), "-storepass", new String(PASSWORD))
			.inheritIO()
			.start();
		assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, PASSWORD);
		}
		return keys;
	}

	private static SSLContext context(KeyStore keys) throws Exception {
		KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keyManagers.init(keys, PASSWORD);
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry("local", keys.getCertificate("local"));
		trust.init(trusted);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
		return context;
	}

	/** Returns the path of a password-protected copy of the key. */
	private static String encryptedKey() throws Exception {
		Process openssl = new ProcessBuilder("openssl", "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", file("key.pem"),
				"-out", file("encrypted.pem"), "-passout", "file:" + file("password"))
			.inheritIO()
			.start();
		assertThat(openssl.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return file("encrypted.pem");
	}

	private static void writePem(String name, String label, byte[] content) throws Exception {
		Files.writeString(directory.resolve(name), "-----BEGIN " + label + "-----\n"
				+ Base64.getMimeEncoder().encodeToString(content) + "\n-----END " + label + "-----\n");
	}

	private static String file(String name) {
		return directory.resolve(name).toString();
	}

	@AfterAll
	static void stop() {
		if (gateway != null) {
			gateway.close();
		}
		if (mosquitto != null) {
			mosquitto.close();
		}
	}

	private static Result set(String... options) {
		String[] arguments = new String[options.length + 4];
		String[] command = { "set", "k", "v", "--url=mqtts://localhost:" + mosquitto.port() };
		System.arraycopy(command, 0, arguments, 0, command.length);
		System.arraycopy(options, 0, arguments, command.length, options.length);
		return new Cli().run(arguments);
	}

	@Test
	void connectsWithCertificateAndKey() {
		Result result = set("--ca", file("cert.pem"), "--cert", file("cert.pem"), "--key", file("key.pem"));
		assertThat(result.exitCode()).as(result.err()).isZero();
	}

	@Test
	void connectsWithEncryptedKey() throws Exception {
		Result result = set("--ca", file("cert.pem"), "--cert", file("cert.pem"), "--key", encryptedKey(),
				"--key-password-file", file("password"));
		assertThat(result.exitCode()).as(result.err()).isZero();
	}

	@Test
	void reportsMissingOrWrongKeyPassword() throws Exception {
		Result missing = set("--cert", file("cert.pem"), "--key", encryptedKey());
		assertThat(missing.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(missing.err()).contains("--key-password-file");
		Result wrong = set("--cert", file("cert.pem"), "--key", encryptedKey(), "--key-password-file",
				file("cert.pem"));
		assertThat(wrong.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(wrong.err()).contains("--key-password-file");
		Result other = set("--cert", file("cert.pem"), "--key", file("cert.pem"));
		assertThat(other.err()).contains("--key", "openssl pkcs8");
	}

	@Test
	void reportsUntrustedBroker() {
		Result result = set("--cert", file("cert.pem"), "--key", file("key.pem"));
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("not trusted", "--ca");
	}

	@Test
	void reportsMissingTls() {
		Result result = new Cli().run("get", "k", "--host", "localhost", "--port", "" + mosquitto.port());
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("--tls").doesNotContain("statestore.");
	}

}
