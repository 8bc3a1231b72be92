package io.statestore.broker.engine;

import java.util.List;

import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/** State of the engine: observations and stored bytes. */
class EngineStateTests {

	private final TestStore store = new TestStore();

	@Test
	void comparesObserversByIdentity() {
		Object one = new String("same");
		Object other = new String("same");
		Command observe = new Command.KeyNotify(Bytes.of("k"));
		this.store.engine.apply(new Request<>(observe, null, null, one));
		this.store.engine.apply(new Request<>(observe, null, null, other));
		this.store.set("k", "v");
		assertThat(onlyChange().observers()).hasSize(2);
		this.store.engine.disconnected(one);
		this.store.set("k", "v");
		assertThat(onlyChange().observers()).singleElement().isSameAs(other);
	}

	@Test
	void removesKeyWithItsLastObservation() {
		this.store.observe("k");
		this.store.observe("l");
		assertThat(this.store.engine.observedKeyCount()).isEqualTo(2);
		this.store.apply(new Command.KeyNotifyStop(Bytes.of("k")));
		assertThat(this.store.engine.observedKeyCount()).isEqualTo(1);
		this.store.engine.disconnected(this.store.me);
		assertThat(this.store.engine.observedKeyCount()).isZero();
	}

	@Test
	void doesNotRetainMessageOfStoredValue() {
		Bytes message = Bytes.of("..key..value..");
		this.store.apply(new Command.Set(message.slice(2, 5), message.slice(7, 12)));
		Answer answer = this.store.get("key");
		assertThat(answer.reply()).isEqualTo(value("value"));
		Bytes kept = ((Reply.Value) answer.reply()).value();
		assertThat(kept.compact()).isSameAs(kept);
	}

	private Change onlyChange() {
		List<Change> changes = this.store.takeChanges();
		assertThat(changes).hasSize(1);
		return changes.get(0);
	}

}
