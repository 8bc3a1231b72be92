package io.statestore.client.watch;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.watch.DefaultKeyWatch.Reason;
import io.statestore.client.watch.SeenVersions.Reading;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.Reply;

/**
 * A listener's watch of a pattern. It watches each matching key from the key's first
 * change, or from the scan that finds the key. A synchronization is PNOTIFY, then a scan,
 * then a GET for each key. While the store continues the watch, a renewal is only
 * PNOTIFY.
 * <p>
 * Remembers each matching key's version, to detect changes and deletions during an
 * outage. A key that was absent at two consecutive renewals is forgotten.
 */
final class WatchedPattern extends WatchedKey {

	private final Map<Bytes, DefaultKeyWatch> children = new ConcurrentHashMap<>();

	private final Bytes text;

	private final GlobPattern pattern;

	private final Settings settings;

	private final Children newChild;

	private final BooleanSupplier watchable;

	private final Predicate<WatchedPattern> last;

	/** Keys that were absent at the latest renewal. Accessed only by events. */
	private final Set<Bytes> absent = new HashSet<>();

	/**
	 * Whether the watch has started. Keys that a scan finds afterward were created during
	 * an outage.
	 */
	private volatile boolean begun;

	/** Whether a scan has ended since the store began this watch. */
	private boolean scanned;

	/**
	 * Creates a watched pattern without a listener.
	 * @param settings settings for the matching keys' watches
	 * @param newChild creates a matching key's watch, which the caller must attach
	 * @param watchable returns whether there is a connection
	 * @param last returns whether no other listener has the same pattern
	 */
	WatchedPattern(Bytes text, Settings settings, CommandGate gate, FailureLog failureLog, WatchTiming timing,
			Runnable onIdle, Children newChild, BooleanSupplier watchable, Predicate<WatchedPattern> last) {
		super(Key.of(text), gate, failureLog, timing, onIdle);
		this.text = text;
		this.settings = settings;
		this.pattern = GlobPattern.ofWatch(text);
		this.newChild = newChild;
		this.watchable = watchable;
		this.last = last;
	}

	boolean matches(Bytes key) {
		return this.pattern.matches(key);
	}

	private Settings settings(Reason reason) {
		boolean initial = reason == Reason.FOUND && (this.begun || this.settings.initial());
		return new Settings(this.settings.id(), this.settings.watchId(), initial, this.settings.noLocal(),
				this.settings.operations(), this.settings.errorHandler(), this.settings.direct(),
				this.settings.urgent(), (state) -> {
				});
	}

	/** Watches a matching key, unless it is already watched. */
	void discover(Bytes key, Reason reason) {
		if (watches().isEmpty()) {
			return;
		}
		DefaultKeyWatch child = this.children.computeIfAbsent(key.compact(),
				(absent) -> this.newChild.add(Key.of(absent), settings(reason), reason));
		// Another thread may have created the child and may also be about to attach it.
		child.watched().attach(child, this.watchable);
		if (watches().isEmpty()) {
			// Another thread closed this watch and may have missed the child.
			child.close();
		}
	}

	@Override
	void discontinued() {
		// A gateway may continue a disconnected client's watch, so its next reply does
		// not show whether changes were missed.
		this.scanned = false;
	}

	@Override
	boolean isLast() {
		return this.last.test(this);
	}

	Bytes text() {
		return this.text;
	}

	@Override
	Command watchCommand() {
		return new Command.PatternNotify(this.text);
	}

	@Override
	Command stopCommand() {
		return new Command.PatternNotifyStop(this.text);
	}

	@Override
	void registered(Response response) {
		boolean continued = response.reply().equals(new Reply.Count(0));
		if (!continued && !(response.reply() instanceof Reply.Ok)) {
			failed(new IllegalStateException("the reply is not OK"));
		}
		else if (continued && this.scanned) {
			forgetAbsent();
			watching(Reading.UNCHANGED);
		}
		else {
			this.scanned = false;
			this.children.values().forEach((child) -> child.watched().synchronize());
			reading(new Command.Scan(this.text, null));
		}
	}

	@Override
	void read(Response response) {
		if (!(response.reply() instanceof Reply.Page page)) {
			failed(new IllegalStateException("the reply is not a page"));
			return;
		}
		page.keys().forEach((key) -> discover(key, Reason.FOUND));
		if (page.token() != null) {
			reading(new Command.Scan(this.text, page.token()));
			return;
		}
		this.scanned = true;
		// Changes during an outage can be detected only once all versions are known.
		after(CompletableFuture
			.allOf(this.children.values().stream().map(DefaultKeyWatch::outcome).toArray(CompletableFuture[]::new)),
				() -> {
					this.begun = true;
					watching(Reading.UNCHANGED);
				});
	}

	private void forgetAbsent() {
		this.children.forEach((key, child) -> {
			if (!child.watched().isAbsent() && child.watched().version() != null) {
				this.absent.remove(key);
			}
			else if (!this.absent.add(key)) {
				this.absent.remove(key);
				this.children.remove(key);
				child.close();
			}
		});
	}

	/** Creates watches for matching keys. */
	@FunctionalInterface
	interface Children {

		/** Returns a new watch, which the caller must attach. */
		DefaultKeyWatch add(Key key, Settings settings, Reason reason);

	}

	@Override
	CompletableFuture<Void> ended() {
		return CompletableFuture
			.allOf(this.children.values().stream().map(DefaultKeyWatch::closeAsync).toArray(CompletableFuture[]::new));
	}

}
