package io.statestore.cluster.transport;

import java.util.ArrayList;
import java.util.List;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnknownConnectionsTests {

	private final UnknownConnections connections = new UnknownConnections();

	/** Adds connections that do not replace others. */
	private List<Channel> add(int count, String address) {
		List<Channel> added = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Channel channel = new EmbeddedChannel();
			assertThat(this.connections.add(channel, address)).isNull();
			added.add(channel);
		}
		return added;
	}

	@Test
	void replacesOldestFromSameAddress() {
		add(1, "other");
		List<Channel> same = add(UnknownConnections.MAX_PER_ADDRESS, "same");
		assertThat(this.connections.add(new EmbeddedChannel(), "same")).isSameAs(same.get(0));
		assertThat(this.connections.add(new EmbeddedChannel(), "same")).isSameAs(same.get(1));
	}

	@Test
	void replacesOldestFromAddressWithMost() {
		List<Channel> few = add(1, "few");
		List<Channel> most = add(UnknownConnections.MAX_PER_ADDRESS, "most");
		add(UnknownConnections.MAX_OF_STRANGERS - UnknownConnections.MAX_PER_ADDRESS - 1, "many");
		assertThat(this.connections.add(new EmbeddedChannel(), "next")).isSameAs(most.get(0));
		assertThat(this.connections.remove(few.get(0), "few")).isTrue();
	}

	@Test
	void strangersReplaceNoConnectionFromPeerAddress() {
		List<Channel> peer = add(UnknownConnections.MAX_PER_ADDRESS, "peer");
		this.connections.addPeer("peer");
		for (int i = 0; i < UnknownConnections.MAX_OF_STRANGERS; i++) {
			add(1, "stranger-" + i);
		}
		assertThat(this.connections.add(new EmbeddedChannel(), "next")).isNotNull().isNotIn(peer);
	}

	@Test
	void removedConnectionMakesRoom() {
		List<Channel> same = add(UnknownConnections.MAX_PER_ADDRESS, "same");
		assertThat(this.connections.remove(same.get(3), "same")).isTrue();
		assertThat(this.connections.remove(same.get(3), "same")).isFalse();
		add(1, "same");
		add(UnknownConnections.MAX_OF_STRANGERS - UnknownConnections.MAX_PER_ADDRESS, "others");
	}

	@Test
	void forgetsPeerSeenFirst() {
		add(2, "peer-0");
		for (int i = 0; i <= 64; i++) {
			this.connections.addPeer("peer-" + i);
		}
		for (int i = 2; i < UnknownConnections.MAX_OF_STRANGERS; i++) {
			add(1, "stranger-" + i);
		}
		assertThat(this.connections.add(new EmbeddedChannel(), "next")).isNotNull();
	}

}
