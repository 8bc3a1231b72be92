package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;

import javax.net.SocketFactory;

import org.springframework.util.function.ThrowingFunction;

/**
 * Scenarios for ordinary messages on our standalone broker, an earlier build, and
 * Mosquitto.
 */
record MessageScenarios(Servers servers) {

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		Certificates certificates = this.servers.certificates;
		SocketFactory plain = SocketFactory.getDefault();
		SocketFactory tls = certificates.context(null).getSocketFactory();
		for (int qos : new int[] { 0, 1 }) {
			String name = "QoS " + qos + ", 100 B, to ";
			for (int subscribers : new int[] { 1, 10, 100 }) {
				scenarios.add(new Scenario(name + subscribers + " subscribers", "1/s",
						peers("plain", "", (port) -> new MessageLoad(plain, port, subscribers, qos, false))));
			}
			scenarios.add(new Scenario(name + "1 subscriber over TLS", "1/s", peers("TLS", certificates.mosquitto(),
					(port) -> new MessageLoad(tls, port, 1, qos, false), certificates.options())));
		}
		List<Peer> peers = new ArrayList<>();
		ThrowingFunction<Integer, MessageLoad> persistent = (port) -> new MessageLoad(plain, port, 1, 1, true);
		peers.add(Peer.of("ours, three nodes", () -> {
			Store nodes = this.servers.store(this.servers.nodes("ours"));
			return persistent.apply(nodes.port(nodes.leader()));
		}, MessageLoad::measure));
		// Mosquitto writes its file only every half hour and when it ends.
		peers.addAll(peers("disk", "persistence true\npersistence_location {directory}/\n", persistent,
				"--data-directory", Server.DATA));
		scenarios.add(new Scenario("QoS 1, 100 B, to 1 persistent subscriber, with a directory", "1/s", peers));
		return scenarios;
	}

	/**
	 * Returns peers for all servers with one setting.
	 * @param mosquitto configuration lines for Mosquitto
	 * @param load connects to a server's port
	 * @param options our broker's options
	 */
	private List<Peer> peers(String setting, String mosquitto, ThrowingFunction<Integer, MessageLoad> load,
			String... options) {
		List<Peer> peers = new ArrayList<>();
		peers.add(peer("ours", Server.broker("ours, " + setting, options), load));
		if (this.servers.earlier != null) {
			peers.add(
					peer("earlier build", Server.packaged("earlier, " + setting, this.servers.earlier, options), load));
		}
		peers.add(peer("Mosquitto", Server.mosquitto("Mosquitto, " + setting, mosquitto), load));
		return peers;
	}

	private Peer peer(String name, Server server, ThrowingFunction<Integer, MessageLoad> load) {
		return Peer.of(name, () -> load.apply(this.servers.port(server)), MessageLoad::measure).on(server);
	}

}
