package io.statestore.broker.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.broker.faults.Network.Link;

/**
 * Repeatedly drops all packets of links for short times. TCP sends lost packets again
 * later, so the links are also slow.
 */
final class LossyLinks implements Fault {

	private static final int MAX_BLOCKED_MILLIS = 150;

	private static final int MAX_OPEN_MILLIS = 100;

	private final Network network;

	private final Random random;

	private final List<Link> links = new ArrayList<>();

	private final Thread thread = new Thread(this::run, "lossy links");

	private volatile boolean ended;

	LossyLinks(Nodes nodes, long seed) {
		this.network = nodes.network();
		this.random = new Random(seed);
		for (Node from : nodes.all()) {
			for (Node to : nodes.all()) {
				if (from != to) {
					this.links.add(new Link(from.name(), to.name()));
				}
			}
		}
		this.thread.start();
	}

	private void run() {
		while (!this.ended) {
			Link link = this.links.get(this.random.nextInt(this.links.size()));
			this.network.block(link);
			pause(MAX_BLOCKED_MILLIS);
			this.network.unblock(link);
			pause(MAX_OPEN_MILLIS);
		}
	}

	private void pause(int maxMillis) {
		try {
			Thread.sleep(this.random.nextInt(maxMillis));
		}
		catch (InterruptedException ex) {
			this.ended = true;
		}
	}

	@Override
	public void end() throws InterruptedException {
		this.ended = true;
		this.thread.join();
	}

}
