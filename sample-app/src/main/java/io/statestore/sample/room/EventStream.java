package io.statestore.sample.room;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Controller;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Server-sent events for all open pages. One thread renders what has changed, once for
 * all pages and at most five times a second.
 */
@Controller
class EventStream implements SmartLifecycle {

	static final int MAX_PAGES = 200;

	private static final Logger logger = LoggerFactory.getLogger(EventStream.class);

	/** Number of quiet ticks after which a heartbeat is sent. */
	private static final int HEARTBEAT = 5;

	private final PageRenderer renderer;

	private final Duration interval;

	private final AtomicBoolean changed = new AtomicBoolean();

	/** Open pages, each with the latest entry of the log in its first response. */
	private final Map<EventPage, Long> pages = new ConcurrentHashMap<>();

	private @Nullable ThreadPoolTaskScheduler scheduler;

	private @Nullable PageState shown;

	private int quietTicks;

	private volatile boolean running;

	EventStream(PageRenderer renderer, Line line, @Value("${sample.page-interval:200ms}") Duration interval) {
		this.renderer = renderer;
		this.interval = interval;
		line.onChange((part) -> this.changed.set(true));
	}

	@GetMapping("/events")
	void open(@RequestParam(defaultValue = "0") long log, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (!this.running || this.pages.size() >= MAX_PAGES) {
			response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			return;
		}
		response.setContentType("text/event-stream;charset=UTF-8");
		AsyncContext context = request.startAsync();
		context.setTimeout(0);
		EventPage page = new EventPage(context, response.getOutputStream());
		context.addListener(page);
		this.pages.put(page, log);
		response.getOutputStream().setWriteListener(page);
	}

	private void tick() {
		try {
			if (!this.pages.isEmpty()) {
				send();
			}
		}
		catch (RuntimeException ex) {
			logger.warn("The pages could not be updated", ex);
			this.shown = null;
			this.pages.keySet().forEach(EventPage::close);
		}
	}

	private void send() {
		PageState before = this.shown;
		PageState now = (this.changed.getAndSet(false) || before == null) ? this.renderer.state() : before;
		this.shown = now;
		byte[] update = update(before, now);
		Supplier<byte[]> withLog = SingletonSupplier.of(() -> this.renderer.everything(now, true));
		Supplier<byte[]> withoutLog = SingletonSupplier.of(() -> this.renderer.everything(now, false));
		this.pages.replaceAll((page, log) -> {
			boolean open = page.tick(update, (log == now.lastEntry()) ? withoutLog : withLog);
			return open ? log : -1L;
		});
		this.pages.values().removeIf((log) -> log < 0);
	}

	private byte @Nullable [] update(@Nullable PageState before, PageState now) {
		if (before != null && !before.equals(now)) {
			this.quietTicks = 0;
			return this.renderer.update(before, now);
		}
		return (++this.quietTicks % HEARTBEAT == 0) ? this.renderer.heartbeat() : null;
	}

	/** Returns the number of open pages. */
	int openPages() {
		return this.pages.size();
	}

	/** Returns the number of pages that have skipped updates. */
	long pagesBehind() {
		return this.pages.keySet().stream().filter(EventPage::isBehind).count();
	}

	@Override
	public void start() {
		this.running = true;
		ThreadPoolTaskScheduler ticks = new ThreadPoolTaskScheduler();
		ticks.setThreadNamePrefix("room-page-");
		ticks.setDaemon(true);
		ticks.initialize();
		ticks.scheduleAtFixedRate(this::tick, this.interval);
		this.scheduler = ticks;
	}

	/** Ends all connections before the web server waits for its requests. */
	@Override
	public void stop() {
		this.running = false;
		ThreadPoolTaskScheduler ticks = this.scheduler;
		if (ticks != null) {
			ticks.shutdown();
		}
		this.pages.keySet().forEach(EventPage::close);
		this.pages.clear();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
