package io.statestore.sample.room;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;
import org.springframework.util.function.SingletonSupplier;

/** All open pages. Renders what has changed once for all of them. */
@Component
class EventPages {

	private static final Logger logger = LoggerFactory.getLogger(EventPages.class);

	static final int MAX_PAGES = 200;

	/** Number of quiet ticks after which a heartbeat is sent. */
	private static final int HEARTBEAT = 5;

	private final PageRenderer renderer;

	private final AtomicBoolean changed = new AtomicBoolean();

	private final Set<EventPage> pages = ConcurrentHashMap.newKeySet();

	/** Whether pages can be added. */
	private boolean open;

	private @Nullable PageState shown;

	private int quietTicks;

	EventPages(PageRenderer renderer, Line line) {
		this.renderer = renderer;
		line.onChange(() -> this.changed.set(true));
	}

	/** Lets pages be added. */
	synchronized void open() {
		this.open = true;
	}

	/** Adds a page unless there are too many, or the room is closing. */
	synchronized boolean tryAdd(EventPage page) {
		return this.open && this.pages.size() < MAX_PAGES && this.pages.add(page);
	}

	/** Updates all pages. Called by one thread. */
	void tick() {
		try {
			if (!this.pages.isEmpty()) {
				send();
			}
		}
		catch (RuntimeException ex) {
			logger.warn("The pages could not be updated; closing their connections", ex);
			this.shown = null;
			closePages();
		}
	}

	private void send() {
		PageState before = this.shown;
		PageState now = (this.changed.getAndSet(false) || before == null) ? this.renderer.state() : before;
		byte[] update = update(before, now);
		this.shown = now;
		Supplier<byte[]> withLog = SingletonSupplier.of(() -> this.renderer.everything(now, true));
		Supplier<byte[]> withoutLog = SingletonSupplier.of(() -> this.renderer.everything(now, false));
		this.pages.removeIf((page) -> !page.tick(update, (page.lastEntry() == now.lastEntry()) ? withoutLog : withLog));
	}

	private byte @Nullable [] update(@Nullable PageState before, PageState now) {
		if (before != null && !before.equals(now)) {
			this.quietTicks = 0;
			return this.renderer.update(before, now);
		}
		return (++this.quietTicks % HEARTBEAT == 0) ? this.renderer.heartbeat() : null;
	}

	/** Closes all pages and adds no more. */
	synchronized void close() {
		this.open = false;
		closePages();
	}

	private void closePages() {
		this.pages.forEach(EventPage::close);
		this.pages.clear();
	}

	/** Returns the number of open pages. */
	int size() {
		return this.pages.size();
	}

	/** Returns the number of pages that are new or have skipped updates. */
	long behind() {
		return this.pages.stream().filter(EventPage::isBehind).count();
	}

}
