// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CEDITLINE_SHIM_H
#define SWIFT_JSONRPC_CEDITLINE_SHIM_H

#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

// Swift cannot call functions with variable arguments, so each use of `el_wset` and `history_w` has a function here.

/// Reads a character into the second argument. Returns 1, or 0 at the end of the input.
typedef int (*CEditLineReader)(EditLine *, wchar_t *);
typedef wchar_t *(*CEditLinePrompt)(EditLine *);
/// Performs an editing command for a key. Returns one of the `CC_` constants.
typedef unsigned char (*CEditLineFunction)(EditLine *, wint_t);

static inline EditLine *CEditLine_open(const char *program) { return el_init(program, stdin, stdout, stderr); }

static inline int CEditLine_setContext(EditLine *editor, void *context) {
    return el_wset(editor, EL_CLIENTDATA, context);
}

static inline void *CEditLine_context(EditLine *editor) {
    void *context = NULL;
    return el_wget(editor, EL_CLIENTDATA, &context) == 0 ? context : NULL;
}

static inline int CEditLine_setPrompt(EditLine *editor, CEditLinePrompt prompt) {
    return el_wset(editor, EL_PROMPT, prompt);
}

static inline int CEditLine_setReader(EditLine *editor, CEditLineReader reader) {
    return el_wset(editor, EL_GETCFN, reader);
}

static inline int CEditLine_setEmacsMode(EditLine *editor) { return el_wset(editor, EL_EDITOR, L"emacs"); }

/// Makes the keys that send signals arrive as characters while a line is edited.
static inline int CEditLine_takeSignalKeys(EditLine *editor) {
    return el_set(editor, EL_SETTY, "-d", "-isig", (char *)NULL);
}

static inline int CEditLine_addFunction(EditLine *editor, const char *name, const char *help, CEditLineFunction function) {
    return el_set(editor, EL_ADDFN, name, help, function);
}

static inline int CEditLine_bind(EditLine *editor, const char *key, const char *command) {
    return el_set(editor, EL_BIND, key, command, (char *)NULL);
}

static inline int CEditLine_prepareTerminal(EditLine *editor, int forEditing) {
    return el_wset(editor, EL_PREP_TERM, forEditing);
}

/// Draws the prompt and the line at the cursor of the terminal, as if the screen were empty below it.
static inline void CEditLine_draw(EditLine *editor) { el_wset(editor, EL_REFRESH); }

static inline HistoryW *CEditLine_makeHistory(EditLine *editor, int size) {
    HistEventW event;
    HistoryW *history = history_winit();
    if (history == NULL) return NULL;
    history_w(history, &event, H_SETSIZE, size);
    history_w(history, &event, H_SETUNIQUE, 1);
    el_wset(editor, EL_HIST, history_w, history);
    return history;
}

static inline void CEditLine_remember(HistoryW *history, const wchar_t *line) {
    HistEventW event;
    history_w(history, &event, H_ENTER, line);
}

/// Uses UTF-8 on this thread, by the environment's locale if possible. Returns the locale to release, or `NULL`.
static inline locale_t CEditLine_useUTF8(void) {
    static const char *const names[] = {"", "C.UTF-8"};
    for (int index = 0; index < 2; index++) {
        locale_t locale = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
        if (locale == (locale_t)0) continue;
        if (strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0) {
            uselocale(locale);
            return locale;
        }
        freelocale(locale);
    }
    return (locale_t)0;
}

static inline void CEditLine_releaseLocale(locale_t locale) {
    uselocale(LC_GLOBAL_LOCALE);
    if (locale != (locale_t)0) freelocale(locale);
}

// The header only declares it under conditions that Swift does not meet.
extern int wcwidth(wchar_t character);

/// The number of columns of a character, or -1 if it cannot be printed.
static inline int CEditLine_width(wchar_t character) { return wcwidth(character); }

#endif
