package io.statestore.benchmarks;

import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.Transport;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Lock implementations to compare. The name of the constant is passed to a second
 * process, which opens the same implementation.
 */
enum LockKind {

	OURS("ours", false), OURS_ON_NETTY("ours on Netty", false), REDISSON("Redisson", true),
	REGISTRY_PUBLISH_SUBSCRIBE("RedisLockRegistry, publish/subscribe", true),
	REGISTRY_SPINNING("RedisLockRegistry, spinning", true);

	private final String text;

	final boolean onRedis;

	LockKind(String text, boolean onRedis) {
		this.text = text;
		this.onRedis = onRedis;
	}

	/**
	 * Connects a client. Several clients in one JVM compete like separate processes.
	 */
	Locks open(int port) {
		return switch (this) {
			case OURS -> ours(port, Transport.PAHO);
			case OURS_ON_NETTY -> ours(port, Client.FAST);
			case REDISSON -> redisson(port);
			case REGISTRY_PUBLISH_SUBSCRIBE -> springIntegration(port, RedisLockType.PUB_SUB_LOCK);
			case REGISTRY_SPINNING -> springIntegration(port, RedisLockType.SPIN_LOCK);
		};
	}

	@Override
	public String toString() {
		return this.text;
	}

	private static Locks ours(int port, Transport transport) {
		Client client = new Client(Client.options(port).transport(transport));
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template);
		return new Locks(registry::obtain, () -> {
			registry.stop();
			client.close();
		});
	}

	private static Locks redisson(int port) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://127.0.0.1:" + port)
			.setConnectionMinimumIdleSize(2)
			.setConnectionPoolSize(8);
		RedissonClient client = Redisson.create(config);
		return new Locks(client::getLock, client::shutdown);
	}

	private static Locks springIntegration(int port, RedisLockType type) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
		factory.afterPropertiesSet();
		factory.start();
		RedisLockRegistry registry = new RedisLockRegistry(factory, "locks-" + type, 30_000);
		registry.setRedisLockType(type);
		return new Locks(registry::obtain, () -> {
			registry.destroy();
			factory.destroy();
		});
	}

	/**
	 * Locks of a single client.
	 *
	 * @param obtain returns a lock by its name
	 * @param disconnect closes the client
	 */
	record Locks(Function<String, Lock> obtain, Runnable disconnect) implements AutoCloseable {

		@Override
		public void close() {
			this.disconnect.run();
		}

	}

}
