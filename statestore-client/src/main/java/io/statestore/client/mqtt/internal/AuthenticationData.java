package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Data of an enhanced authentication, which changes over time. Determines when to check
 * for a change, and detects it. Confined to the thread of the supervisor.
 */
final class AuthenticationData {

	private static final Logger logger = LoggerFactory.getLogger(AuthenticationData.class);

	/** Maximum size of a token whose expiry is read. */
	private static final int MAX_TOKEN_SIZE = 64 * 1024;

	private static final Duration MIN_DELAY = Duration.ofSeconds(1);

	private static final Duration MAX_DELAY = Duration.ofDays(1);

	/** Delay between checks of data that has expired. */
	private static final Duration DELAY_AFTER_EXPIRY = Duration.ofSeconds(10);

	/** Fraction of a token's remaining time after which it is requested again. */
	private static final double CHECKED_PART = 0.8;

	/** Remaining time of a token below which a warning is logged. */
	private static final Duration WARNING_TIME = Duration.ofSeconds(30);

	/** The claim {@code exp} (RFC 7519 section 4.1.4), in seconds. */
	private static final Pattern EXPIRY = Pattern.compile("\"exp\"\\s*:\\s*(\\d{1,12})(?!\\d)");

	private final EnhancedAuthentication authentication;

	private final TimeSource time;

	private byte @Nullable [] sent;

	/**
	 * Expiry of the data sent, in milliseconds since 1970, or {@code null} if unknown.
	 */
	private @Nullable Long expiresAt;

	/** Changed data, which may be incomplete until a second read returns it again. */
	private byte @Nullable [] candidate;

	/** Whether the log contains the failure of the latest check. */
	private boolean failureLogged;

	/** Whether the log contains the warning about the expiry of the data sent. */
	private boolean expiryLogged;

	AuthenticationData(EnhancedAuthentication authentication, TimeSource time) {
		this.authentication = authentication;
		this.time = time;
	}

	/** Returns the present data, which is recorded as sent. */
	byte[] send() {
		byte[] data = this.authentication.data().get();
		sent(data);
		return data;
	}

	/** Records the data that the broker has received. */
	void sent(byte[] data) {
		this.sent = data;
		this.candidate = null;
		this.expiryLogged = false;
		this.expiresAt = expiryOf(data);
	}

	/** Returns the delay of the next check, or {@code null} if none is needed. */
	@Nullable Duration nextCheck() {
		if (this.candidate != null) {
			return MIN_DELAY;
		}
		Duration interval = this.authentication.checkInterval();
		Duration remaining = remaining();
		if (remaining == null) {
			return interval;
		}
		Duration delay = remaining.isNegative() ? DELAY_AFTER_EXPIRY
				: Duration.ofMillis((long) (remaining.toMillis() * CHECKED_PART));
		Duration limit = (interval != null) ? interval : MAX_DELAY;
		delay = (delay.compareTo(MIN_DELAY) < 0) ? MIN_DELAY : delay;
		return (delay.compareTo(limit) < 0) ? delay : limit;
	}

	/**
	 * Returns data that has changed, or {@code null} if the data sent is current. A
	 * failure to read it is logged once.
	 * @param url address of the broker, for the log
	 */
	byte @Nullable [] changed(String url) {
		byte[] current;
		try {
			current = this.authentication.data().get();
			this.failureLogged = false;
		}
		catch (RuntimeException | Error ex) {
			this.candidate = null;
			if (!this.failureLogged) {
				this.failureLogged = true;
				logger.warn("Cannot read a new token for {} ({}). The connection is kept until the current token "
						+ "expires; trying again. Check the source of the token", url, ex.getMessage());
			}
			return null;
		}
		if (Arrays.equals(current, this.sent)) {
			this.candidate = null;
			warnOfExpiry(url);
			return null;
		}
		// Files are not always replaced in one step. Other sources may return different
		// data on each call.
		if (this.authentication.checkInterval() == null || Arrays.equals(current, this.candidate)) {
			this.candidate = null;
			return current;
		}
		this.candidate = current;
		return null;
	}

	private void warnOfExpiry(String url) {
		Duration remaining = remaining();
		if (remaining != null && remaining.compareTo(WARNING_TIME) < 0 && !this.expiryLogged) {
			this.expiryLogged = true;
			logger.warn(
					"The token for {} {} and has not been replaced. The broker may end the connection. "
							+ "Check what renews the token",
					url, remaining.isNegative() ? "has expired" : "expires in " + remaining.toSeconds() + " s");
		}
	}

	/** Returns the time until the data sent expires, or {@code null} if it is unknown. */
	@Nullable Duration remaining() {
		return (this.expiresAt != null) ? Duration.ofMillis(this.expiresAt - this.time.currentTimeMillis()) : null;
	}

	/**
	 * Returns the expiry of a JSON Web Token, in milliseconds since 1970, or {@code null}
	 * if it is unknown. The token is not verified: that is up to the broker.
	 */
	static @Nullable Long expiryOf(byte[] data) {
		if (data.length > MAX_TOKEN_SIZE) {
			return null;
		}
		String[] parts = new String(data, StandardCharsets.ISO_8859_1).strip().split("\\.", -1);
		if (parts.length != 3) {
			return null;
		}
		try {
			Matcher expiry = EXPIRY
				.matcher(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8));
			return expiry.find() ? Long.parseLong(expiry.group(1)) * 1000 : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
