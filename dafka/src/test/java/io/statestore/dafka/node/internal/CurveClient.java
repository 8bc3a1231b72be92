package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import zmq.Msg;

/** A connection with a key, which sends frames that no library would send. */
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
	CurveClient(int port, CurveOptions options, CurveOptions server) throws IOException {
		this.security = Objects.requireNonNull(CurveSecurity.of(options, 0));
		try (CurveSecurity other = Objects.requireNonNull(CurveSecurity.of(server, 0))) {
			this.security.add(ENDPOINT, other.announcement("id"));
		}
		this.client = ZmtpClient.connect(port);
		this.client.send(ZmtpClient.greeting(3, 0, "CURVE"));
		this.client.receive(ZmtpClient.GREETING_LENGTH);
		this.handshake = new CurveClientHandshake(new Connection(SocketChannel.open(), "", ENDPOINT, false, 0),
				this.security, this, "SUB");
		for (int i = 0; i < 2; i++) {
			Msg.Builder command = new Msg.Builder();
			this.handshake.nextHandshakeCommand(command);
			this.client.send(ZmtpClient.frame(ZmtpClient.COMMAND, command.build().data()));
			this.handshake.processHandshakeCommand(new Msg(this.client.receiveFrame()));
		}
	}

	/** Sends an encrypted frame with flags of JeroMQ. */
	void send(int flags, byte[] content) {
		Msg message = new Msg(content);
		message.setFlags(flags);
		this.client.send(ZmtpClient.frame(0, this.handshake.encode(message).data()));
	}

	boolean awaitClosed() {
		return this.client.awaitClosed(Duration.ofSeconds(30));
	}

	@Override
	public void secured(Connection connection, Bytes peer) {
		connection.peer = peer;
	}

	@Override
	public void refused(Connection connection, Refusal refusal, String detail) {
		throw new AssertionError(refusal + detail);
	}

	@Override
	public boolean isCompatible(String peerType) {
		return true;
	}

	@Override
	public Msg allocate(int size) {
		return new Msg(size);
	}

	@Override
	public GuardedMessage decrypted(byte[] text, int offset, int size) {
		return new GuardedMessage(Arrays.copyOfRange(text, offset, offset + size), (metadata, message) -> true);
	}

	@Override
	public void close() {
		this.client.close();
		this.security.close();
	}

}
