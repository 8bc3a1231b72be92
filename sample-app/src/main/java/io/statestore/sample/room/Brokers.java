package io.statestore.sample.room;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.stereotype.Component;

/**
 * Three brokers that form one store, each in a process of its own: docs/cluster.md. They
 * run the {@link io.statestore.sample.broker.BrokerApplication}. With one broker, there
 * are no such processes.
 */
@Component
class Brokers implements BrokerServer {

	private static final int MAX_PORT = 65_535;

	private final Map<String, BrokerProcess> processes = new TreeMap<>();

	private final List<Integer> ports;

	private final Path directory;

	Brokers(RoomProperties properties, Line line, @Value("${statestore.port}") int port) {
		int count = properties.brokers();
		this.ports = IntStream.range(port, port + count).boxed().toList();
		// The addresses of the nodes are part of their data.
		this.directory = properties.data().toAbsolutePath().normalize().resolve("brokers-" + port);
		if (properties.isCluster()) {
			if (port + 2 * count - 1 > MAX_PORT) {
				throw new InvalidConfigurationPropertyValueException("statestore.port", port,
						"Three brokers use six ports from this one. Choose a port up to " + (MAX_PORT - 2 * count + 1));
			}
			String peers = IntStream.range(0, count)
				.mapToObj((i) -> name(i) + "=localhost:" + (port + count + i))
				.collect(Collectors.joining(","));
			for (int i = 0; i < count; i++) {
				String name = name(i);
				int own = port + i;
				this.processes.put(name, new BrokerProcess(name, line, () -> command(name, own, peers)));
			}
		}
	}

	private static String name(int index) {
		return "broker-" + (index + 1);
	}

	/** The default limits of a node need a heap of 256 MiB. */
	private List<String> command(String name, int port, String peers) {
		// A file that each node writes at its first start.
		boolean known = Files.exists(this.directory.resolve(name).resolve("node"));
		return Programs.sample("256m",
				List.of("--sample.node=" + name, "--sample.port=" + port, "--sample.peers=" + peers,
						"--sample.directory=" + this.directory,
						"--sample.start=" + (known ? "existing" : "new-cluster"),
						"--sample.room-pid=" + ProcessHandle.current().pid()));
	}

	/** Returns the ports on which clients can connect, also with a single broker. */
	List<Integer> ports() {
		return this.ports;
	}

	/** One for clients, and one for the other brokers. */
	@Override
	public int portCount() {
		return 2 * this.ports.size();
	}

	/** Starts all brokers at once, because one of them alone has no leader. */
	@Override
	public BrokerServer.Running start(int port) {
		try {
			BrokerCertificates.create(this.directory.resolve("certificates"), this.processes.keySet());
		}
		catch (IOException ex) {
			throw new InvalidConfigurationPropertyValueException("sample.directory", this.directory,
					"The certificates of the brokers could not be written: " + ex
							+ ". Choose another directory, such as --sample.directory=target/line");
		}
		this.processes.values().forEach(BrokerProcess::start);
		return () -> this.processes.values().forEach(BrokerProcess::close);
	}

	/** Returns the process of a broker. */
	BrokerProcess get(String name) {
		BrokerProcess process = this.processes.get(name);
		if (process == null) {
			throw new IllegalStateException(
					name + " does not exist. For three brokers, start the control room with --sample.brokers=3");
		}
		return process;
	}

}
