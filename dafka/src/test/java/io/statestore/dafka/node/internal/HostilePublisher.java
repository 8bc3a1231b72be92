package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.Bytes;

/** Server that violates ZMTP. Nodes connect to it because of its beacons. */
final class HostilePublisher implements AutoCloseable {

	private static final int PORTS = 5;

	private final HostileTraffic traffic;

	private final Random random;

	private final List<ServerSocket> servers = new ArrayList<>();

	private final Queue<ZmtpClient> accepted = new ConcurrentLinkedQueue<>();

	private final AtomicInteger connections = new AtomicInteger();

	private final ZmtpClient tower;

	private int beacons;

	HostilePublisher(HostileTraffic traffic, long seed, int towerPort) {
		this.traffic = traffic;
		this.random = new Random(seed);
		this.tower = ZmtpClient.handshake(towerPort, "PUB");
		for (int i = 0; i < PORTS; i++) {
			try {
				ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				this.servers.add(server);
				Thread thread = new Thread(() -> accept(server), "hostile-publisher");
				thread.setDaemon(true);
				thread.start();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/** Sends a beacon for one of the ports, with a new ID. */
	void announce() {
		int port = this.servers.get(this.beacons % PORTS).getLocalPort();
		Bytes id = Bytes.of("hostile-" + this.beacons++ / PORTS / 100 + '-' + port);
		this.tower.send(ZmtpClient.message(new Beacons.Announcement(id, "127.0.0.1", port).frames()));
	}

	int connections() {
		return this.connections.get();
	}

	private void accept(ServerSocket server) {
		while (!server.isClosed()) {
			try {
				ZmtpClient client = ZmtpClient.accepted(server.accept());
				this.accepted.add(client);
				if (this.traffic.isAfterHandshake()) {
					client.send(ZmtpClient.greeting(), ZmtpClient.ready("PUB"));
					client.skipHandshake();
				}
				client.send(bytes());
				if (this.connections.incrementAndGet() % 2 == 0) {
					client.close();
				}
			}
			catch (SocketException ex) {
				// The server was closed or the node has left.
			}
			catch (IOException | UncheckedIOException ex) {
				this.connections.incrementAndGet();
			}
		}
	}

	private byte[] bytes() {
		synchronized (this.random) {
			return this.traffic.bytes(this.random);
		}
	}

	@Override
	public void close() {
		try {
			for (ServerSocket server : this.servers) {
				server.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.accepted.forEach(ZmtpClient::close);
			this.tower.close();
		}
	}

}
