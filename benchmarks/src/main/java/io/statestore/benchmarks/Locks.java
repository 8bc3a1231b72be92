package io.statestore.benchmarks;

import java.util.concurrent.locks.Lock;

import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.Transport;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Locks of a single client. Each instance has its own client, so several instances in one
 * JVM compete like separate processes.
 */
interface Locks extends AutoCloseable {

	Lock obtain(String name);

	@Override
	void close();

	static Locks ours(int port, Transport transport) {
		Client client = new Client(port, transport);
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template);
		return new Locks() {

			@Override
			public Lock obtain(String name) {
				return registry.obtain(name);
			}

			@Override
			public void close() {
				registry.stop();
				client.close();
			}

		};
	}

	static Locks redisson(int port) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://127.0.0.1:" + port)
			.setConnectionMinimumIdleSize(2)
			.setConnectionPoolSize(8);
		RedissonClient client = Redisson.create(config);
		return new Locks() {

			@Override
			public Lock obtain(String name) {
				return client.getLock(name);
			}

			@Override
			public void close() {
				client.shutdown();
			}

		};
	}

	static Locks springIntegration(int port, RedisLockType type) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		factory.afterPropertiesSet();
		factory.start();
		RedisLockRegistry registry = new RedisLockRegistry(factory, "locks-" + type, 30_000);
		registry.setRedisLockType(type);
		return new Locks() {

			@Override
			public Lock obtain(String name) {
				return registry.obtain(name);
			}

			@Override
			public void close() {
				registry.destroy();
				factory.destroy();
			}

		};
	}

}
