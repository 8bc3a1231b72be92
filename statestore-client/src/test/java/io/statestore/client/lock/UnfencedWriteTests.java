package io.statestore.client.lock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.metadata.StateStoreMetadataStore;
import io.statestore.client.watch.TestClient;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.cache.Cache;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.OnGrantedEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Writes with the plain template on a thread that holds a lock, on a real socket. */
@Timeout(60)
@Isolated("captures the log")
class UnfencedWriteTests extends FencedLockFixture {

	private static final Duration HOLD = Duration.ofMillis(100);

	private static final Logger logger = (Logger) LoggerFactory.getLogger(CurrentLocks.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final StateStoreTemplate template = this.client.template;

	private final FencedLock refusing = lock(UnfencedWrites.REFUSE);

	private FencedLock lock(UnfencedWrites unfencedWrites) {
		return registry(this.client, LockOptions.DEFAULT.withUnfencedWrites(unfencedWrites)).obtain("lock");
	}

	@BeforeEach
	void attach() {
		this.log.start();
		logger.addAppender(this.log);
	}

	@AfterEach
	void detach() {
		logger.detachAppender(this.log);
	}

	private List<String> warnings() {
		return this.log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private Optional<String> stored() {
		return this.other.template.getValue("data", String.class);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "ALLOW")
	void stalePlainWriteIsNotSent(UnfencedWrites mode) throws Exception {
		FencedLock paused = lock(mode).withMaxHold(HOLD);
		paused.lock();
		await("the end of the hold").until(() -> !paused.isValid());
		this.elsewhere.execute((held) -> this.other.template.set("data", "newer"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.set("data", "stale"))
			.withMessageContaining("data'")
			.withMessageContaining("lock'")
			.withMessageContaining("Call unlock() on this thread")
			.withMessageContaining("template.withoutLockCheck()");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.delete("data"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.deleteIfEquals("data", "newer"));
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.template.async().set("data", "stale").join())
			.withCauseInstanceOf(LockLostException.class);
		assertThat(stored()).contains("newer");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(paused::unlock);
		assertThat(this.template.set("data", "newest").applied()).isTrue();
	}

	@Test
	void writeThatWaitsForConnectionIsNotSentAfterLoss() throws Exception {
		try (FaultProxy proxy = new FaultProxy(broker.port());
				TestClient far = new TestClient(proxy.port()).start().withKeyPrefix(this.prefix)) {
			FencedLock held = registry(far, LockOptions.DEFAULT).obtain("lock").withMaxHold(Duration.ofMillis(500));
			held.lock();
			proxy.block();
			await("the loss of the connection").until(() -> !far.connection.isConnected());
			CompletableFuture<?> newer = LockFixture.async(() -> {
				this.elsewhere.execute((unused) -> this.other.template.set("data", "newer"));
				proxy.unblock();
				return true;
			});
			// A slow machine finds the loss before the write waits.
			assertThat(catchThrowable(() -> far.template.set("data", "stale")))
				.isInstanceOfAny(StateStoreNotSentException.class, LockLostException.class);
			newer.join();
			assertThat(far.template.withoutLockCheck().getValue("data", String.class)).contains("newer");
		}
	}

	@Test
	void staleWriteIsSentIfAllowed() {
		FencedLock paused = lock(UnfencedWrites.ALLOW).withMaxHold(HOLD);
		paused.lock();
		this.template.set("data", "valid");
		await("the end of the hold").until(() -> !paused.isValid());
		this.template.set("data", "stale");
		assertThat(stored()).contains("stale");
		assertThat(warnings()).isEmpty();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(paused::unlock);
	}

	@Test
	void plainWriteIsSentWithWarningByDefault() {
		this.lock.lock();
		this.template.set("data", "1");
		this.template.set("data", "2");
		this.lock.unlock();
		// The key is not fenced.
		assertThat(this.other.template.set("data", "3").applied()).isTrue();
		assertThat(warnings()).singleElement()
			.asString()
			.contains("data'", "lock'", "lock.operations()", "withoutLockCheck()");
	}

	@Test
	void warnsOncePerLockAndLogsOtherWritesAtDebug() {
		logger.setLevel(Level.DEBUG);
		try {
			for (int i = 1; i <= 17; i++) {
				FencedLock each = this.registry.obtain("lock" + i);
				each.lock();
				this.template.set("data", "1");
				this.template.set("other", "2");
				each.unlock();
			}
		}
		finally {
			logger.setLevel(null);
		}
		assertThat(this.log.list).hasSize(34);
		assertThat(this.log.list).filteredOn((event) -> event.getLevel() == Level.WARN)
			.hasSize(16)
			.allSatisfy((event) -> assertThat(event.getFormattedMessage()).contains("data'"));
	}

	@Test
	void refusedWriteNamesKeyLockAndNextStep() throws Exception {
		this.refusing.execute((held) -> {
			assertThatIllegalStateException().isThrownBy(() -> this.template.withKeyPrefix("a/").set("data", "1"))
				.withMessageContaining("a/data'")
				.withMessageContaining("lock'")
				.withMessageContaining("lock.operations()");
			held.operations().set("data", "2");
			this.template.set("other", "3", (spec) -> spec.fencedBy(held.token()));
			return this.template.withoutLockCheck().set("unprotected", "4");
		});
		assertThat(stored()).contains("2");
	}

	@Test
	void checkEndsWithLastHold() {
		FencedLock inner = this.registry.obtain("inner");
		this.refusing.lock();
		this.refusing.lock();
		inner.lock();
		this.refusing.unlock();
		assertThatIllegalStateException().isThrownBy(() -> this.template.set("data", "1"));
		this.refusing.unlock();
		// Out of order: the inner lock is still held.
		this.template.set("data", "2");
		assertThat(this.registry.currentLock()).isSameAs(inner.heldLock());
		inner.unlock();
		assertThatIllegalStateException().isThrownBy(this.registry::currentLock);
	}

	@Test
	void anyLockLostByThreadRefusesWrite() {
		FencedLock outer = this.registry.obtain("outer").withMaxHold(HOLD);
		outer.lock();
		this.lock.lock();
		await("the end of the hold").until(() -> !outer.isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.set("data", "1"))
			.withMessageContaining("outer'");
		this.lock.unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::unlock);
	}

	@Test
	void otherThreadsAndConnectionsAreNotChecked() {
		this.refusing.lock();
		this.other.template.set("data", "1");
		LockFixture.async(() -> this.template.set("data", "2")).join();
		assertThat(stored()).contains("2");
		this.refusing.unlock();
	}

	@Test
	void tenureChecksOtherThreadWithinCall() throws Exception {
		this.refusing.execute((held) -> LockFixture
			.async(() -> held
				.call(() -> assertThatIllegalStateException().isThrownBy(() -> this.template.set("data", "1"))))
			.join());
	}

	@Test
	void internalWritesAreNotChecked() throws Exception {
		StateStoreCacheManager caches = StateStoreCacheManager.builder(this.template).build();
		caches.afterPropertiesSet();
		StateStoreMetadataStore metadata = new StateStoreMetadataStore(this.template, this.registry);
		Cache cache = Objects.requireNonNull(caches.getCache("recipes"));
		assertThat(cache.getNativeCache()).isSameAs(this.template);
		this.refusing.execute((held) -> {
			cache.put("1", "bread");
			cache.evict("1");
			metadata.putIfAbsent("position", "1");
			metadata.put("position", "2");
			FencedLock nested = this.registry.obtain("nested");
			nested.lock();
			nested.unlock();
			return true;
		});
		assertThat(metadata.get("position")).isEqualTo("2");
	}

	@Test
	void metadataStoreWithProxyIsNotChecked() throws Exception {
		StateStoreOperations proxy = ProxyFactory.getProxy(StateStoreOperations.class,
				new SingletonTargetSource(this.template));
		StateStoreMetadataStore metadata = new StateStoreMetadataStore(proxy, this.registry);
		this.refusing.execute((held) -> {
			assertThat(metadata.putIfAbsent("position", "1")).isNull();
			return true;
		});
	}

	@Test
	void templateWithDecoratedInvokerIsChecked() throws Exception {
		StateStoreTemplate decorated = this.template.withInvoker((invoker) -> invoker::invoke);
		this.refusing.execute((held) -> assertThatIllegalStateException().isThrownBy(() -> decorated.set("data", "1")));
	}

	@Test
	void checksGrantedEventListener() {
		CompletableFuture<Object> outcome = new CompletableFuture<>();
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(this.refusing, new DefaultCandidate());
		initiator.setApplicationEventPublisher((event) -> {
			if (event instanceof OnGrantedEvent) {
				outcome
					.complete(Objects.requireNonNullElse(catchThrowable(() -> this.template.set("data", "1")), "sent"));
			}
		});
		initiator.start();
		try {
			assertThat(outcome.join()).isInstanceOf(IllegalStateException.class);
		}
		finally {
			initiator.stop();
		}
	}

	@Test
	void checksLeadingCandidate() {
		CompletableFuture<Object> outcome = new CompletableFuture<>();
		StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(this.refusing, new DefaultCandidate() {

			@Override
			public void onGranted(Context context) {
				outcome.complete(catchThrowable(() -> UnfencedWriteTests.this.template.set("data", "1")));
			}

		});
		initiator.start();
		try {
			assertThat(outcome.join()).isInstanceOf(IllegalStateException.class);
		}
		finally {
			initiator.stop();
		}
	}

}
