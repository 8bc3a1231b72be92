package io.statestore.broker.faults;

import java.util.List;

import io.statestore.broker.faults.Network.Link;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests packets between namespaces, which the receiver refuses unless they are lost. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs network namespaces")
@Timeout(60)
class NetworkTests {

	private static final int CLOSED_PORT = 9;

	private static final String REFUSED = "Connection refused";

	private Network network;

	@BeforeEach
	void create() throws Exception {
		this.network = new Network(List.of("a", "b", "c"));
	}

	@AfterEach
	void close() {
		this.network.close();
	}

	private boolean reaches(String from, String to) throws Exception {
		return isRefused(from, to, "20");
	}

	private boolean misses(String from, String to) throws Exception {
		return !isRefused(from, to, "0.5");
	}

	/** Returns whether a packet to a node and its answer arrive within some seconds. */
	private boolean isRefused(String from, String to, String seconds) throws Exception {
		String address = this.network.address(to);
		Process process = new ProcessBuilder("ip", "netns", "exec", Leftovers.name(from), "timeout", seconds, "bash",
				"-c", "</dev/tcp/" + address + '/' + CLOSED_PORT)
			.redirectErrorStream(true)
			.start();
		return new String(process.getInputStream().readAllBytes()).contains(REFUSED);
	}

	@Test
	void blocksLinkUntilUnblocked() throws Exception {
		Link link = new Link("a", "b");
		assertThat(reaches("a", "b")).isTrue();
		this.network.block(link);
		assertThat(misses("a", "b")).isTrue();
		assertThat(reaches("a", "c")).isTrue();
		assertThat(reaches("b", "c")).isTrue();
		this.network.unblock(link);
		assertThat(reaches("a", "b")).isTrue();
	}

	@Test
	void removesNamespaces() {
		this.network.close();
		assertThat(Shell.run("ip", "netns", "list")).doesNotContain(Leftovers.name("a"));
	}

}
