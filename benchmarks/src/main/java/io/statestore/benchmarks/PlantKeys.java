package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority with a server and two clients, one of them with an expired
 * certificate, and a second authority that the server does not trust. Created with
 * OpenSSL.
 *
 * @param directory directory of the files
 */
record PlantKeys(Path directory) {

	/** Creates the files. */
	static PlantKeys create(Path directory) throws IOException, InterruptedException {
		Files.createDirectories(directory);
		PlantKeys keys = new PlantKeys(directory);
		keys.authority("ca");
		keys.authority("stranger-ca");
		keys.certificate("server", "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1", List.of());
		keys.certificate("ada", "ca", "subjectAltName=DNS:ada", List.of());
		keys.certificate("stranger", "stranger-ca", "subjectAltName=DNS:ada", List.of());
		keys.certificate("expired", "ca", "subjectAltName=DNS:ada", List.of("faketime", "2 years ago"));
		return keys;
	}

	private void authority(String name) throws IOException, InterruptedException {
		run(List.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				"-days", "30", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".crt"));
	}

	private void certificate(String name, String authority, String extension, List<String> prefix)
			throws IOException, InterruptedException {
		Files.writeString(this.directory.resolve(name + ".ext"), extension + '\n');
		run(List.of("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
				"/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr"));
		List<String> sign = new ArrayList<>(prefix);
		sign.addAll(List.of("openssl", "x509", "-req", "-days", "30", "-in", name + ".csr", "-CA", authority + ".crt",
				"-CAkey", authority + ".key", "-CAcreateserial", "-extfile", name + ".ext", "-out", name + ".crt"));
		run(sign);
	}

	private void run(List<String> command) throws IOException, InterruptedException {
		Path output = this.directory.resolve("openssl.txt");
		int exitCode = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start()
			.waitFor();
		if (exitCode != 0) {
			throw new IOException(String.join(" ", command) + " failed: " + Files.readString(output));
		}
	}

	/** Returns the path of a certificate. */
	String certificate(String name) {
		return this.directory.resolve(name + ".crt").toString();
	}

	/** Returns the path of a private key. */
	String key(String name) {
		return this.directory.resolve(name + ".key").toString();
	}

	/**
	 * Returns a context that trusts the authority of the server.
	 * @param client name of the certificate of the client, or {@code null} for none
	 */
	SSLContext context(@Nullable String client) throws SSLException {
		SslContextBuilder builder = SslContextBuilder.forClient()
			.sslProvider(SslProvider.JDK)
			.trustManager(this.directory.resolve("ca.crt").toFile());
		if (client != null) {
			builder.keyManager(this.directory.resolve(client + ".crt").toFile(),
					this.directory.resolve(client + ".key").toFile());
		}
		SslContext context = builder.build();
		return ((JdkSslContext) context).context();
	}

}
