package io.statestore.broker.mqtt;

import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelHandlerContext;
import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Applies the limits of a principal to one connection. Used on the event loop of the
 * connection only.
 */
final class SessionLimits implements AutoCloseable {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionLimits.class));

	/** Minimum time without reading, so that a fast client does not cause many timers. */
	private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final ChannelHandlerContext context;

	private final Principals principals;

	private final Runnable changed;

	private PrincipalShare share = PrincipalShare.UNLIMITED;

	private boolean overRate;

	/**
	 * Creates the limits of a connection that is not admitted yet.
	 * @param changed called when {@link #isOverRate()} changes
	 */
	SessionLimits(ChannelHandlerContext context, Principals principals, Runnable changed) {
		this.context = context;
		this.principals = principals;
		this.changed = changed;
	}

	/**
	 * Admits the connection. From now on, counts the bytes of a client that has logged
	 * in.
	 * @return {@code false} if its principal has too many connections
	 */
	boolean admit(ClientPrincipal principal, String clientId) {
		PrincipalShare admitted = this.principals.admit(principal, clientId);
		if (admitted == null) {
			clientLog.warn("Refused client '{}': '{}' has {} connections, which is the maximum. Close unused ones, or "
					+ "raise --max-connections-per-principal or statestore.embedded.max-connections-per-principal",
					clientId, principal, this.principals.limits().maxConnections());
			return false;
		}
		this.share = admitted;
		if (!principal.isAnonymous()) {
			ReceiveMeter.install(this.context.pipeline(), this::received);
		}
		return true;
	}

	/** Returns the share of the connection, without limits before it is admitted. */
	PrincipalShare share() {
		return this.share;
	}

	private void received(int bytes) {
		long nanos = this.share.received(bytes);
		if (nanos == 0 || this.overRate) {
			return;
		}
		this.overRate = true;
		this.principals.countDelayedRead();
		this.changed.run();
		this.context.executor().schedule(() -> {
			this.overRate = false;
			this.changed.run();
		}, Math.max(nanos, MIN_PAUSE_NANOS), TimeUnit.NANOSECONDS);
	}

	/** Returns whether the principal has sent too many bytes, so that none are read. */
	boolean isOverRate() {
		return this.overRate;
	}

	/** Ends the connection. Has no effect the second time. */
	@Override
	public void close() {
		this.share.close();
	}

}
