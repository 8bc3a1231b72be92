package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Locale;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.statestore.broker.security.PemFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Command that reports whether a broker accepts clients, for container health checks. It
 * connects as an anonymous MQTT 5 client. A refused login also proves that the broker
 * works.
 */
@Command(name = "health",
		description = "Checks whether a broker accepts clients. Needs no login and waits at most five seconds.",
		exitCodeList = { "0:the broker accepts clients", "1:no broker answers, or the broker accepts no clients",
				"2:invalid option" })
final class HealthCommand extends ServerCommand {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int PORT = 1883;

	private static final int TLS_PORT = 8883;

	/** MQTT 5 CONNECT packet with a clean start and without a client id. */
	private static final byte[] CONNECT = "\20\15\0\4MQTT\5\2\0\12\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

	private static final byte[] DISCONNECT = { (byte) 0xE0, 0 };

	private static final int CONNACK = 0x20;

	/** Bit in a length byte that announces another byte. */
	private static final int CONTINUATION = 0x80;

	private static final int FIRST_ERROR = 0x80;

	private static final int BAD_USER_NAME_OR_PASSWORD = 0x86;

	private static final int NOT_AUTHORIZED = 0x87;

	@Option(names = "--host", paramLabel = "<host>", defaultValue = "localhost",
			description = "Broker host or address (default: ${DEFAULT-VALUE})")
	private String host = "";

	@Option(names = "--port", paramLabel = "<port>",
			description = "TCP port of the broker (default: 1883, or 8883 with --tls)")
	private @Nullable Integer port;

	@Option(names = "--tls", description = "Connect with TLS. Without --ca-file, the broker's certificate is not "
			+ "verified, because nothing secret is sent. A broker that requires a client certificate counts as healthy")
	private boolean tls;

	@Mixin
	private final ClientTlsOptions certificates = new ClientTlsOptions();

	@Override
	int run() {
		if (!this.tls) {
			this.certificates.refuse("%1$s requires TLS; add --tls, or omit it");
		}
		PemFiles files = this.certificates.files();
		if (files.certificate() != null && files.authorities() == null) {
			throw new IllegalArgumentException("--cert requires --ca-file; add it, or omit --cert");
		}
		SSLContext context = this.tls ? context(files) : null;
		int port = (this.port != null) ? this.port : (this.tls ? TLS_PORT : PORT);
		try (Socket socket = (context != null) ? socket(context, files) : new Socket()) {
			return check(socket, port);
		}
		catch (IOException | IllegalArgumentException ex) {
			return (files.certificate() == null && isMissingCertificate(ex)) ? 0
					: fail("No broker answers on " + this.host + ':' + port + ": " + ex.getMessage()
							+ ". Check --host and --port, and that the broker is running");
		}
	}

	/**
	 * Returns a TLS context. It trusts every broker if no authorities are set, because
	 * the check does not send secrets.
	 */
	private static SSLContext context(PemFiles files) {
		if (files.authorities() != null) {
			return files.newContext();
		}
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("TLS is not available in this JVM", ex);
		}
	}

	private static Socket socket(SSLContext context, PemFiles files) throws IOException {
		SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
		if (files.authorities() != null) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			socket.setSSLParameters(parameters);
		}
		return socket;
	}

	/**
	 * Returns whether the broker has closed the connection because it requires a
	 * certificate (RFC 8446 section 6.2; TLS 1.2 uses a more general alert).
	 */
	private static boolean isMissingCertificate(Exception failure) {
		String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
		return failure instanceof SSLException
				&& (message.contains("certificate_required") || message.contains("bad_certificate"));
	}

	private int check(Socket socket, int port) throws IOException {
		long deadline = System.nanoTime() + TIMEOUT.toNanos();
		socket.connect(new InetSocketAddress(this.host, port), (int) TIMEOUT.toMillis());
		socket.setSoTimeout((int) TIMEOUT.toMillis());
		socket.getOutputStream().write(CONNECT);
		int reason = readReason(socket, deadline);
		if (reason < 0) {
			return fail("No MQTT 5 broker listens on " + this.host + ':' + port + ". Check --host and --port");
		}
		if (reason >= FIRST_ERROR && reason != BAD_USER_NAME_OR_PASSWORD && reason != NOT_AUTHORIZED) {
			return fail("The broker on " + this.host + ':' + port
					+ " refuses clients, reason code 0x%02X. Check the broker's log".formatted(reason));
		}
		socket.getOutputStream().write(DISCONNECT);
		return 0;
	}

	/** Returns the CONNACK packet's reason code, negative if another packet arrives. */
	private static int readReason(Socket socket, long deadline) throws IOException {
		if (read(socket, deadline) != CONNACK) {
			return -1;
		}
		// Skip the remaining length, which has one to four bytes.
		for (int i = 0; i < 4; i++) {
			int length = read(socket, deadline);
			if (length < CONTINUATION) {
				int flags = read(socket, deadline);
				return (length >= 0 && flags >= 0) ? read(socket, deadline) : -1;
			}
		}
		return -1;
	}

	private static int read(Socket socket, long deadline) throws IOException {
		long millis = (deadline - System.nanoTime()) / 1_000_000;
		if (millis <= 0) {
			throw new SocketTimeoutException("no reply in " + TIMEOUT.toSeconds() + " s");
		}
		socket.setSoTimeout((int) millis);
		return socket.getInputStream().read();
	}

}
