package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.Objects;

import io.statestore.dafka.CurveOptions;

/** A connection with a key that sends frames no library would send. */
final class CurveClient implements AutoCloseable, CurveHandshake.Events {

	private static final String ENDPOINT = "tcp://127.0.0.1:1";

	private final ZmtpClient client;

	private final CurveSecurity security;

	private final CurveHandshake handshake;

	/**
	 * Connects and completes the handshake.
	 * @param port port of a publisher
	 * @param options options of the node that connects
	 * @param server options of the node that accepts
	 */
	CurveClient(int port, CurveOptions options, CurveOptions server) {
		this.security = Objects.requireNonNull(CurveSecurity.of(options, 0));
		try (CurveSecurity other = Objects.requireNonNull(CurveSecurity.of(server, 0))) {
			this.security.add(ENDPOINT, other.announcement("id"));
		}
		this.client = ZmtpClient.connect(port);
		this.client.send(ZmtpClient.greeting(3, 0, "CURVE"));
		this.client.receive(ZmtpClient.GREETING_LENGTH);
		this.handshake = new CurveClientHandshake(ENDPOINT, this.security, this, "SUB");
		byte[] command = this.handshake.start();
		while (command != null) {
			this.client.send(ZmtpClient.frame(ZmtpClient.COMMAND, command));
			command = this.handshake.process(this.client.receiveFrame());
		}
	}

	/** Sends an encrypted frame with ZMTP flags. */
	void send(int flags, byte[] content) {
		this.client.send(ZmtpClient.frame(0, this.handshake.encode(flags, content)));
	}

	boolean awaitClosed() {
		return this.client.awaitClosed(Duration.ofSeconds(30));
	}

	@Override
	public void refused(Refusal refusal, String detail) {
		throw new AssertionError(refusal + detail);
	}

	@Override
	public boolean isCompatible(String peerType) {
		return true;
	}

	@Override
	public void close() {
		this.client.close();
		this.security.close();
	}

}
