package io.statestore.broker.faults;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A network namespace for each node, and another namespace that routes between them and
 * this machine. The router drops packets by rules, silently, and each in one direction.
 * Clients on this machine can reach every node.
 */
final class Network implements AutoCloseable {

	private static final int FIRST_SUBNET = 100;

	private static final int SUBNETS = 100;

	private final List<String> nodes;

	private final String router = Leftovers.name("r");

	/** First two bytes of all addresses. */
	private final String prefix;

	private final Set<Link> blocked = new HashSet<>();

	private final Thread cleanup = new Thread(this::remove, "network cleanup");

	private boolean closed;

	/**
	 * Packets from one node to another.
	 *
	 * @param from name of the sender
	 * @param to name of the receiver
	 */
	record Link(String from, String to) {

		Link reversed() {
			return new Link(this.to, this.from);
		}

	}

	/**
	 * Creates a network. Skips the test if this is not permitted.
	 * @param nodes names of the nodes, one letter each
	 */
	Network(List<String> nodes) throws IOException {
		this.nodes = nodes;
		boolean permitted = Shell.succeeds("ip", "netns", "add", this.router);
		if (!permitted) {
			System.err.println("""
					********************************************************************************
					SKIPPED: network namespaces are not permitted here. The tests of partitions and
					other faults need root on Linux, and the program 'ip'.
					********************************************************************************""");
		}
		assumeTrue(permitted, "skipped: network namespaces need root on Linux, and the program 'ip'");
		Runtime.getRuntime().addShutdownHook(this.cleanup);
		Leftovers.removeOfEndedTests();
		this.prefix = unusedPrefix();
		try {
			connectRouter();
			nodes.forEach(this::connect);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private static String unusedPrefix() {
		String routes = Shell.run("ip", "route");
		long first = ProcessHandle.current().pid();
		for (int i = 0; i < SUBNETS; i++) {
			String prefix = "10." + (FIRST_SUBNET + (first + i) % SUBNETS);
			if (!routes.contains(prefix + '.')) {
				return prefix;
			}
		}
		throw new IllegalStateException("No free subnet in 10.0.0.0/8");
	}

	private void connectRouter() {
		String device = Leftovers.name("h");
		Shell.run("ip", "-n", this.router, "link", "set", "lo", "up");
		Shell.run("ip", "netns", "exec", this.router, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
		Shell.run("ip", "link", "add", device, "type", "veth", "peer", "name", "host", "netns", this.router);
		Shell.run("ip", "addr", "add", this.prefix + ".0.2/24", "dev", device);
		Shell.run("ip", "link", "set", device, "up");
		Shell.run("ip", "-n", this.router, "addr", "add", this.prefix + ".0.1/24", "dev", "host");
		Shell.run("ip", "-n", this.router, "link", "set", "host", "up");
		Shell.run("ip", "route", "add", this.prefix + ".0.0/16", "via", this.prefix + ".0.1");
	}

	private void connect(String node) {
		String namespace = namespace(node);
		String device = "to-" + node;
		String gateway = this.prefix + '.' + number(node) + ".1";
		Shell.run("ip", "netns", "add", namespace);
		Shell.run("ip", "-n", namespace, "link", "set", "lo", "up");
		Shell.run("ip", "link", "add", "eth0", "netns", namespace, "type", "veth", "peer", "name", device, "netns",
				this.router);
		Shell.run("ip", "-n", this.router, "addr", "add", gateway + "/24", "dev", device);
		Shell.run("ip", "-n", this.router, "link", "set", device, "up");
		Shell.run("ip", "-n", namespace, "addr", "add", address(node) + "/24", "dev", "eth0");
		Shell.run("ip", "-n", namespace, "link", "set", "eth0", "up");
		Shell.run("ip", "-n", namespace, "route", "add", "default", "via", gateway);
	}

	private int number(String node) {
		return this.nodes.indexOf(node) + 1;
	}

	private static String namespace(String node) {
		return Leftovers.name(node);
	}

	List<String> nodes() {
		return this.nodes;
	}

	String address(String node) {
		return this.prefix + '.' + number(node) + ".2";
	}

	/** Returns the beginning of a command line to run a program on a node. */
	String[] prefixOf(String node) {
		return new String[] { "ip", "netns", "exec", namespace(node) };
	}

	synchronized void block(Link link) {
		if (this.blocked.add(link)) {
			rule("add", link);
		}
	}

	synchronized void unblock(Link link) {
		if (this.blocked.remove(link)) {
			rule("del", link);
		}
	}

	private void rule(String change, Link link) {
		Shell.run("ip", "-n", this.router, "rule", change, "from", address(link.from), "to", address(link.to),
				"blackhole");
	}

	/**
	 * Removes the network. Removes the interface first, because namespaces are removed in
	 * the background.
	 */
	private void remove() {
		Shell.succeeds("ip", "link", "del", Leftovers.name("h"));
		this.nodes.forEach((node) -> Leftovers.removeNamespace(namespace(node)));
		Leftovers.removeNamespace(this.router);
	}

	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			remove();
			Runtime.getRuntime().removeShutdownHook(this.cleanup);
		}
	}

}
