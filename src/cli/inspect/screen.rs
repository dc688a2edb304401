//! `inspect --screen`: the tree of a run on the left, what is selected on the right.

use super::tree::{Node, Tree};
use crate::cli::interrupt;
use crate::report::walk::Walk;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};
use std::time::Duration;

/// How long keys are waited for before it is looked whether the program is to stop.
const WAIT: Duration = Duration::from_millis(250);
/// Narrower than this, the tree stands above what is selected.
const NARROW: u16 = 80;
/// Lines that a page key scrolls.
const PAGE: u16 = 15;
const KEYS: &str = " ↑↓ move  ←→ close, open  PgUp PgDn scroll  d diffs  / search  n next  q quit ";

/// What is shown.
struct Screen {
    tree: Tree,
    scroll: u16,
    /// Whether diffs are shown in place of the rest.
    diffs: bool,
    /// The text that is searched for.
    text: String,
    typing: bool,
    note: String,
}

/// Shows a run until it is left.
///
/// # Errors
/// The terminal cannot be drawn on or read.
pub(super) fn show(walk: &Walk) -> std::io::Result<u8> {
    let mut screen = Screen::of(walk);
    let gate = interrupt::gate();
    let mut terminal = ratatui::try_init()?;
    let done = loop {
        if let Err(error) = terminal.draw(|frame| screen.draw(frame)) {
            break Err(error);
        }
        if gate.is_closed() {
            break Ok(0);
        }
        match event::poll(WAIT).and_then(|is_there| if is_there { event::read().map(Some) } else { Ok(None) }) {
            Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release && !screen.take(key) => break Ok(0),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::try_restore()?;
    done
}

impl Screen {
    fn of(walk: &Walk) -> Self {
        let tree = Tree::of(walk);
        Self { tree, scroll: 0, diffs: false, text: String::new(), typing: false, note: String::new() }
    }

    /// Does what a key asks for; whether it goes on.
    fn take(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return key.code != KeyCode::Char('c');
        }
        self.note.clear();
        if self.typing {
            self.typed(key.code);
            return true;
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Down | KeyCode::Char('j') => self.go(1),
            KeyCode::Up | KeyCode::Char('k') => self.go(-1),
            KeyCode::Home => self.go(isize::MIN + 1),
            KeyCode::End => self.go(isize::MAX),
            KeyCode::Right | KeyCode::Enter | KeyCode::Char('l') => self.tree.open(true),
            KeyCode::Left | KeyCode::Char('h') => {
                self.tree.open(false);
                self.scroll = 0;
            }
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll = self.scroll.saturating_add(PAGE),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::Char('d') => {
                self.diffs = !self.diffs;
                self.scroll = 0;
            }
            KeyCode::Char('/') => {
                self.typing = true;
                self.text.clear();
            }
            KeyCode::Char('n') => self.find(),
            _ => {}
        }
        true
    }

    fn typed(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char(letter) => self.text.push(letter),
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Enter => {
                self.typing = false;
                self.find();
            }
            KeyCode::Esc => self.typing = false,
            _ => {}
        }
    }

    fn go(&mut self, by: isize) {
        self.tree.go(by);
        self.scroll = 0;
    }

    fn find(&mut self) {
        self.scroll = 0;
        if !self.text.is_empty() && !self.tree.find(&self.text) {
            self.note = format!(" `{}` is nowhere ", self.text);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let [all, keys] = Layout::vertical([Constraint::Min(3), Constraint::Length(1)]).areas(frame.area());
        let [left, right] = if all.width < NARROW {
            Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(all)
        } else {
            Layout::horizontal([Constraint::Percentage(38), Constraint::Percentage(62)]).areas(all)
        };
        let items = self.tree.shown_nodes().into_iter().map(|(at, node)| self.item(at, node));
        let list = List::new(items.collect::<Vec<_>>())
            .block(Block::bordered().title(" run "))
            .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        let mut state = ListState::default().with_selected(Some(self.tree.position()));
        frame.render_stateful_widget(list, left, &mut state);
        let node = self.tree.node();
        let (title, lines) = if self.diffs {
            (" diffs ", coloured(if node.diffs.is_empty() { "no candidate here" } else { &node.diffs }))
        } else {
            (" what happened ", node.body.lines().map(|line| Line::raw(line.replace('\t', "    "))).collect())
        };
        let text = Paragraph::new(lines).block(Block::bordered().title(title)).scroll((self.scroll, 0));
        frame.render_widget(if self.diffs { text } else { text.wrap(Wrap { trim: false }) }, right);
        let below = if self.typing { format!(" / {}▏", self.text) } else { format!("{}{KEYS}", self.note) };
        frame.render_widget(Paragraph::new(below).style(Style::new().add_modifier(Modifier::DIM)), keys);
    }

    fn item(&self, at: usize, node: &Node) -> ListItem<'static> {
        let sign = match self.tree.is_open(at) {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "  ",
        };
        let style = if node.passed { Style::new().fg(Color::Green) } else { Style::new() };
        ListItem::new(Line::from(vec![
            Span::raw("  ".repeat(node.depth)),
            Span::raw(sign),
            Span::styled(node.title.clone(), style),
        ]))
    }
}

fn coloured(diff: &str) -> Vec<Line<'static>> {
    let style = |line: &str| match line.as_bytes() {
        [b'+', ..] => Style::new().fg(Color::Green),
        [b'-', ..] => Style::new().fg(Color::Red),
        [b'@', b'@', ..] => Style::new().fg(Color::Cyan),
        _ => Style::new(),
    };
    diff.lines().map(|line| Line::styled(line.replace('\t', "    "), style(line))).collect()
}
