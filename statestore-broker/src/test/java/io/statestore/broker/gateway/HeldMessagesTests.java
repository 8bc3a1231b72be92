package io.statestore.broker.gateway;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeldMessagesTests {

	private final HeldMessages held = new HeldMessages();

	private final List<String> sent = new ArrayList<>();

	private void send(String message) {
		this.held.send(() -> this.sent.add(message));
	}

	@Test
	void sendsImmediatelyUnlessHeld() {
		send("a");
		assertThat(this.sent).containsExactly("a");
	}

	@Test
	void keepsOrderWhenReleasedOutOfOrder() {
		Runnable first = this.held.hold();
		send("a");
		Runnable second = this.held.hold();
		send("b");
		second.run();
		assertThat(this.sent).isEmpty();
		first.run();
		first.run();
		send("c");
		assertThat(this.sent).containsExactly("a", "b", "c");
	}

	@Test
	void keepsOrderOfMessagesSentDuringRelease() {
		Runnable release = this.held.hold();
		this.held.send(() -> {
			this.sent.add("a");
			send("c");
		});
		send("b");
		release.run();
		assertThat(this.sent).containsExactly("a", "b", "c");
	}

	@Test
	void sendsLaterMessagesIfOneFails() {
		Runnable release = this.held.hold();
		this.held.send(() -> {
			throw new IllegalStateException("on purpose");
		});
		send("b");
		release.run();
		assertThat(this.sent).containsExactly("b");
		assertThat(this.held.isEmpty()).isTrue();
	}

	@Test
	void releasesInCallOrder() {
		Runnable first = this.held.hold(() -> this.sent.add("first"));
		Runnable second = this.held.hold(() -> this.sent.add("second"));
		second.run();
		assertThat(this.sent).isEmpty();
		first.run();
		assertThat(this.sent).containsExactly("first", "second");
	}

}
