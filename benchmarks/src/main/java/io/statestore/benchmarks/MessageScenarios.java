package io.statestore.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import javax.net.SocketFactory;

/** Ordinary messages of our standalone broker, an earlier build, and Mosquitto. */
final class MessageScenarios {

	private static final String MOSQUITTO = "Mosquitto";

	private final Servers servers;

	MessageScenarios(Servers servers) {
		this.servers = servers;
	}

	List<Scenario> all() throws IOException {
		List<Scenario> scenarios = new ArrayList<>();
		Certificates certificates = this.servers.certificates;
		SocketFactory tls = certificates.context(null).getSocketFactory();
		for (int qos : new int[] { 0, 1 }) {
			String name = "QoS " + qos + ", 100 B, to ";
			for (int subscribers : new int[] { 1, 10, 100 }) {
				scenarios.add(new Scenario(name + subscribers + " subscribers", "1/s",
						peers("plain", "", new Load(SocketFactory.getDefault(), subscribers, qos, false))));
			}
			scenarios.add(new Scenario(name + "1 subscriber over TLS", "1/s",
					peers("TLS", certificates.mosquitto(), new Load(tls, 1, qos, false), certificates.options())));
		}
		List<Peer> peers = new ArrayList<>();
		Load persistent = new Load(SocketFactory.getDefault(), 1, 1, true);
		peers.add(Peer.of("ours, three nodes", () -> {
			ThreeNodes nodes = this.servers.nodes(this.servers.nodes("ours"));
			return persistent.start(nodes.port(nodes.leader()));
		}, MessageLoad::measure));
		// Mosquitto writes its file every half an hour, and at its end.
		peers.addAll(peers("disk", "persistence true\npersistence_location {directory}/\n", persistent,
				"--data-directory", Server.DATA));
		scenarios.add(new Scenario("QoS 1, 100 B, to 1 persistent subscriber, with a directory", "1/s", peers));
		return scenarios;
	}

	/**
	 * Returns all peers with servers of one setting.
	 * @param mosquitto lines of the configuration of Mosquitto
	 * @param options options of our broker
	 */
	private List<Peer> peers(String setting, String mosquitto, Load load, String... options) {
		List<Peer> peers = new ArrayList<>();
		peers.add(peer("ours", Server.broker("ours, " + setting, options), load));
		if (this.servers.earlier != null) {
			peers.add(
					peer("earlier build", Server.packaged("earlier, " + setting, this.servers.earlier, options), load));
		}
		if (Servers.MOSQUITTO.isInstalled()) {
			peers.add(peer(MOSQUITTO, Server.mosquitto(MOSQUITTO + ", " + setting, mosquitto), load));
		}
		return peers;
	}

	private Peer peer(String name, Server server, Load load) {
		return Peer.of(name, () -> load.start(this.servers.port(server)), MessageLoad::measure);
	}

	private record Load(SocketFactory sockets, int subscribers, int qos, boolean persistent) {

		MessageLoad start(int port) throws IOException {
			return new MessageLoad(this.sockets, port, this.subscribers, this.qos, this.persistent);
		}

	}

}
