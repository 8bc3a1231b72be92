package io.statestore.benchmarks;

import io.statestore.client.mqtt.Transport;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Lock implementations to compare. The name of the constant is passed to a second
 * process, which opens the same implementation.
 */
enum LockKind {

	OURS, OURS_ON_NETTY, REDISSON, REGISTRY_PUBLISH_SUBSCRIBE, REGISTRY_SPINNING;

	Locks open(int port) {
		return switch (this) {
			case OURS -> Locks.ours(port, Transport.PAHO);
			case OURS_ON_NETTY -> Locks.ours(port, Transport.NETTY);
			case REDISSON -> Locks.redisson(port);
			case REGISTRY_PUBLISH_SUBSCRIBE -> Locks.springIntegration(port, RedisLockType.PUB_SUB_LOCK);
			case REGISTRY_SPINNING -> Locks.springIntegration(port, RedisLockType.SPIN_LOCK);
		};
	}

}
